/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
/* Tuning tables, names, and the description of the system. */
#include "bad.h"
#include "refused.h"

#define BAD_NAME(of)                                                              \
  do {                                                                            \
    int value = 7;                                                                \
    INVALID("name", tridia_##of##_parse(NULL, &value));                           \
    INVALID("name", tridia_##of##_parse("no", &value));                           \
    INVALID("value", tridia_##of##_parse("no", NULL));                            \
    expect(value == 7, "nothing is written");                                     \
    expect(strcmp(tridia_##of##_name(99), "invalid") == 0, #of " 99 is invalid"); \
    SUCCEEDS(tridia_##of##_parse(tridia_##of##_name(1), &value));                 \
    expect(value == 1, #of " 1 has a name");                                      \
  } while (0)

static void names(void) {
  BAD_NAME(value_type);
  BAD_NAME(boundary);
  BAD_NAME(pivoting);
  BAD_NAME(operation);
  BAD_NAME(coefficients);
  BAD_NAME(ragged_layout);
  BAD_NAME(backend);
  BAD_NAME(algorithm);
  BAD_NAME(neato_memory);
  BAD_NAME(transformation);
  BAD_NAME(quantity);
  BAD_NAME(staggering);
  BAD_NAME(end_condition);
  expect(strcmp(tridia_result_name(99), "invalid") == 0, "a result of 99 is invalid");
}

static void entries(tridia_tuning* tuning) {
  static const int negative[16] = {-1}; /* room for every parameter */
  tridia_tuning_entry e = TRIDIA_TUNING_ENTRY_INIT;
  const char* kernel = NULL;
  int count = 0;
  SUCCEEDS(tridia_tunable_kernel_name(0, &kernel));
  SUCCEEDS(tridia_tunable_parameter_count(0, &count));
  expect(count <= 16, "there is room for all parameters");
  e.compute_capability = 90;
  e.rows = 64;
  INVALID("tuning", tridia_tuning_add(NULL, &e));
  INVALID("entry", tridia_tuning_add(tuning, NULL));
  INVALID("kernel", tridia_tuning_add(tuning, &e));
  e.kernel = kernel;
  e.value_count = -1;
  INVALID("value_count", tridia_tuning_add(tuning, &e));
  e.value_count = count;
  INVALID("values", tridia_tuning_add(tuning, &e));
  e.values = negative;
  REFUSED(TRIDIA_INVALID_ARGUMENT, "-1", tridia_tuning_add(tuning, &e));
  e.type = 9;
  INVALID("type", tridia_tuning_add(tuning, &e));
  e.type = TRIDIA_F32;
  e.pivoting = 9;
  INVALID("pivoting", tridia_tuning_add(tuning, &e));
  e.struct_size = 9;
  INVALID("entry", tridia_tuning_add(tuning, &e));
}

static void tables(void) {
  tridia_tuning* tuning = NULL;
  tridia_tuning_entry e = TRIDIA_TUNING_ENTRY_INIT;
  int64_t count = 7;
  char text[4];
  size_t needed = 0;
  INVALID("tuning", tridia_tuning_create(NULL));
  INVALID("text", tridia_tuning_parse(NULL, &tuning));
  REFUSED(TRIDIA_INVALID_ARGUMENT, "", tridia_tuning_parse("nothing", &tuning));
  INVALID("tuning", tridia_tuning_parse("tridia-tuning 2\n", NULL));
  expect(tuning == NULL, "nothing is written");
  SUCCEEDS(tridia_tuning_create(&tuning));
  entries(tuning);
  INVALID("tuning", tridia_tuning_count(NULL, &count));
  INVALID("count", tridia_tuning_count(tuning, NULL));
  SUCCEEDS(tridia_tuning_count(tuning, &count));
  expect(count == 0, "wrong entries were not added");
  INVALID("tuning", tridia_tuning_get(NULL, 0, &e));
  INVALID("k", tridia_tuning_get(tuning, 0, &e));
  INVALID("entry", tridia_tuning_get(tuning, 0, NULL));
  INVALID("tuning", tridia_tuning_text(NULL, text, sizeof text, &needed));
  INVALID("text", tridia_tuning_text(tuning, NULL, 4, &needed));
  INVALID("size", tridia_tuning_text(tuning, text, sizeof text, &needed));
  INVALID("needed", tridia_tuning_text(tuning, NULL, 0, NULL));
  SUCCEEDS(tridia_tuning_destroy(tuning));
  INVALID("tuning", tridia_tuning_destroy(tuning));
}

static void kernels(void) {
  const char* name = NULL;
  const int* values = NULL;
  int count = 7;
  INVALID("count", tridia_tunable_kernel_count(NULL));
  INVALID("kernel", tridia_tunable_kernel_name(-1, &name));
  INVALID("name", tridia_tunable_kernel_name(0, NULL));
  INVALID("kernel", tridia_tunable_parameter_count(1000, &count));
  INVALID("count", tridia_tunable_parameter_count(0, NULL));
  INVALID("kernel", tridia_tunable_parameter(1000, 0, &name, &values, &count));
  INVALID("parameter", tridia_tunable_parameter(0, -1, &name, &values, &count));
  INVALID("name", tridia_tunable_parameter(0, 0, NULL, &values, &count));
  INVALID("values", tridia_tunable_parameter(0, 0, &name, NULL, &count));
  INVALID("value_count", tridia_tunable_parameter(0, 0, &name, &values, NULL));
  expect(name == NULL && values == NULL && count == 7, "nothing is written");
  SUCCEEDS(tridia_tunable_parameter(0, 0, &name, &values, &count));
}

static void machine(void) {
  tridia_system system = TRIDIA_SYSTEM_INIT;
  tridia_device device = TRIDIA_DEVICE_INIT;
  char version[32];
  INVALID("system", tridia_query_system(NULL));
  SUCCEEDS(tridia_query_system(&system));
  expect(system.simd[0] != 0 && system.threads > 0, "the system is described");
  INVALID("device", tridia_query_device(0, NULL));
  INVALID("k", tridia_query_device(-1, &device));
  INVALID("k", tridia_query_device(system.device_count, &device));
  system.struct_size = 0;
  device.struct_size = 0;
  INVALID("system", tridia_query_system(&system));
  INVALID("device", tridia_query_device(0, &device));
  snprintf(version, sizeof version, "%d.%d.%d", TRIDIA_VERSION_MAJOR, TRIDIA_VERSION_MINOR,
           TRIDIA_VERSION_PATCH);
  expect(strcmp(version, tridia_version()) == 0, "library and headers have one version");
}

void bad_tuning(void) {
  names();
  tables();
  kernels();
  machine();
  report("tuning tables, names, system", checked, wrong);
}
