/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef BAD_H
#define BAD_H

/* Each asks one part of the interface with wrong arguments. */
void bad_plans(void);
void bad_tuning(void);
void bad_schemes(void);
void bad_operators(void);
void bad_differential(void);
void bad_distributed(void);
void bad_gtsv(void);

/* Adds the counts of a part. */
void report(const char* part, int checked, int wrong);

#endif
