/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#include "bad.h"
#include "refused.h"

static const double weights[3] = {-0.75, 0, 0.75};
static tridia_scheme* s = NULL;
static tridia_closure* c = NULL;

static void finding(void) {
  tridia_scheme* none = NULL;
  char text[4];
  size_t needed = 0;
  INVALID("quantity", tridia_scheme_names(9, 0, text, sizeof text, &needed));
  INVALID("staggering", tridia_scheme_names(0, 9, text, sizeof text, &needed));
  INVALID("text", tridia_scheme_names(0, 0, NULL, 4, &needed));
  INVALID("size", tridia_scheme_names(0, 0, text, sizeof text, &needed));
  INVALID("needed", tridia_scheme_names(0, 0, NULL, 0, NULL));
  INVALID("quantity", tridia_scheme_find(-1, "C6", 0, 0, &none));
  INVALID("name", tridia_scheme_find(0, NULL, 0, 0, &none));
  REFUSED(TRIDIA_INVALID_ARGUMENT, "C7", tridia_scheme_find(0, "C7", 0, 0, &none));
  INVALID("staggering", tridia_scheme_find(0, "C6", 3, 0, &none));
  INVALID("alpha_f", tridia_scheme_find(TRIDIA_FILTER, "F4", 0, 2, &none));
  INVALID("scheme", tridia_scheme_find(0, "C6", 0, 0, NULL));
  expect(none == NULL, "nothing is written");
}

static void making(void) {
  tridia_compact_row row = TRIDIA_COMPACT_ROW_INIT;
  tridia_scheme* none = NULL;
  int order = 7;
  row.sub = row.sup = 0.25;
  row.weights = weights;
  row.weight_count = 3;
  row.first = -1;
  INVALID("row", tridia_row_order(NULL, 0, 0, &order));
  INVALID("quantity", tridia_row_order(&row, 9, 0, &order));
  INVALID("staggering", tridia_row_order(&row, 0, 9, &order));
  INVALID("order", tridia_row_order(&row, 0, 0, NULL));
  INVALID("name", tridia_scheme_create(NULL, 0, 0, &row, &none));
  INVALID("quantity", tridia_scheme_create("mine", 9, 0, &row, &none));
  INVALID("staggering", tridia_scheme_create("mine", 0, -2, &row, &none));
  INVALID("interior", tridia_scheme_create("mine", 0, 0, NULL, &none));
  INVALID("scheme", tridia_scheme_create("mine", 0, 0, &row, NULL));
  row.weight_count = -1;
  INVALID("weight_count", tridia_scheme_create("mine", 0, 0, &row, &none));
  row.weights = NULL;
  row.weight_count = 3;
  INVALID("weights", tridia_row_order(&row, 0, 0, &order));
  expect(none == NULL && order == 7, "nothing is written");
  row.weights = weights;
  SUCCEEDS(tridia_row_order(&row, 0, 0, &order));
  expect(order == 4, "the fourth-order scheme is of fourth order");
}

static void scheme_getters(void) {
  const char* text = NULL;
  int number = 7;
  double pair[2] = {7, 7};
  tridia_compact_row row;
  INVALID("scheme", tridia_scheme_name(NULL, &text));
  INVALID("name", tridia_scheme_name(s, NULL));
  INVALID("scheme", tridia_scheme_quantity(NULL, &number));
  INVALID("quantity", tridia_scheme_quantity(s, NULL));
  INVALID("scheme", tridia_scheme_staggering(NULL, &number));
  INVALID("staggering", tridia_scheme_staggering(s, NULL));
  INVALID("scheme", tridia_scheme_order(NULL, &number));
  INVALID("order", tridia_scheme_order(s, NULL));
  INVALID("scheme", tridia_scheme_interior(NULL, &row));
  INVALID("row", tridia_scheme_interior(s, NULL));
  INVALID("scheme", tridia_scheme_symbol(NULL, 1, pair));
  INVALID("symbol", tridia_scheme_symbol(s, 1, NULL));
  INVALID("scheme", tridia_scheme_modified_wavenumber(NULL, 1, pair));
  INVALID("wavenumber", tridia_scheme_modified_wavenumber(s, 1, NULL));
  expect(number == 7 && pair[0] == 7 && text == NULL, "nothing is written");
}

static void closures(void) {
  tridia_compact_row row = TRIDIA_COMPACT_ROW_INIT;
  tridia_closure* none = NULL;
  INVALID("scheme", tridia_closure_find(NULL, "3-4-6-4-3", &none));
  INVALID("name", tridia_closure_find(s, NULL, &none));
  REFUSED(TRIDIA_INVALID_ARGUMENT, "9-9", tridia_closure_find(s, "9-9", &none));
  INVALID("closure", tridia_closure_find(s, "3-4-6-4-3", NULL));
  INVALID("scheme", tridia_closure_default(NULL, &none));
  INVALID("closure", tridia_closure_default(s, NULL));
  INVALID("name", tridia_closure_create(NULL, 0, 0, &row, 1, NULL, 0, &none));
  INVALID("quantity", tridia_closure_create("mine", 9, 0, &row, 1, NULL, 0, &none));
  INVALID("staggering", tridia_closure_create("mine", 0, 9, &row, 1, NULL, 0, &none));
  INVALID("head", tridia_closure_create("mine", 0, 0, NULL, 1, NULL, 0, &none));
  INVALID("head_count", tridia_closure_create("mine", 0, 0, &row, -1, NULL, 0, &none));
  INVALID("tail", tridia_closure_create("mine", 0, 0, NULL, 0, NULL, 1, &none));
  INVALID("tail_count", tridia_closure_create("mine", 0, 0, NULL, 0, NULL, -1, &none));
  INVALID("closure", tridia_closure_create("mine", 0, 0, &row, 1, NULL, 0, NULL));
  expect(none == NULL, "nothing is written");
}

static void closure_getters(void) {
  const char* text = NULL;
  int a = 7, b = 7;
  tridia_compact_row row;
  INVALID("closure", tridia_closure_name(NULL, &text));
  INVALID("name", tridia_closure_name(c, NULL));
  INVALID("closure", tridia_closure_quantity(NULL, &a));
  INVALID("quantity", tridia_closure_quantity(c, NULL));
  INVALID("closure", tridia_closure_staggering(NULL, &a));
  INVALID("staggering", tridia_closure_staggering(c, NULL));
  INVALID("closure", tridia_closure_counts(NULL, &a, &b));
  INVALID("head_count", tridia_closure_counts(c, NULL, &b));
  INVALID("tail_count", tridia_closure_counts(c, &a, NULL));
  INVALID("closure", tridia_closure_head(NULL, 0, &row));
  INVALID("k", tridia_closure_head(c, 9, &row));
  INVALID("row", tridia_closure_head(c, 0, NULL));
  INVALID("closure", tridia_closure_tail(NULL, 0, &row));
  INVALID("k", tridia_closure_tail(c, -1, &row));
  INVALID("row", tridia_closure_tail(c, 0, NULL));
  INVALID("closure", tridia_closure_order(NULL, 0, &a));
  INVALID("k", tridia_closure_order(c, 9, &a));
  INVALID("order", tridia_closure_order(c, 0, NULL));
  expect(a == 7 && b == 7 && text == NULL, "nothing is written");
}

static void closure_choices(void) {
  int orders[1], count = 7;
  char text[1];
  size_t needed;
  INVALID("scheme", tridia_closure_row_count(NULL, &count));
  INVALID("row_count", tridia_closure_row_count(s, NULL));
  INVALID("scheme", tridia_closure_choices(NULL, 0, orders, 1, &count));
  INVALID("k", tridia_closure_choices(s, 9, orders, 1, &count));
  INVALID("orders", tridia_closure_choices(s, 0, NULL, 1, &count));
  INVALID("capacity", tridia_closure_choices(s, 0, orders, -1, &count));
  INVALID("capacity", tridia_closure_choices(s, 0, orders, 0, &count));
  INVALID("count", tridia_closure_choices(s, 0, NULL, 0, NULL));
  INVALID("scheme", tridia_closure_warning(NULL, c, text, 1, &needed));
  INVALID("closure", tridia_closure_warning(s, NULL, text, 1, &needed));
  INVALID("text", tridia_closure_warning(s, c, NULL, 1, &needed));
  INVALID("size", tridia_closure_warning(s, c, text, 0, &needed));
  INVALID("needed", tridia_closure_warning(s, c, NULL, 0, NULL));
  expect(count == 7, "nothing is written");
}

void bad_schemes(void) {
  finding();
  making();
  SUCCEEDS(tridia_scheme_find(TRIDIA_FIRST_DERIVATIVE, "C6", TRIDIA_STAGGERING_NONE, 0.45, &s));
  SUCCEEDS(tridia_closure_default(s, &c));
  scheme_getters();
  closures();
  closure_getters();
  closure_choices();
  SUCCEEDS(tridia_closure_destroy(c));
  INVALID("closure", tridia_closure_destroy(c));
  SUCCEEDS(tridia_scheme_destroy(s));
  INVALID("scheme", tridia_scheme_destroy(s));
  report("schemes", checked, wrong);
}
