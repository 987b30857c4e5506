/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Section "trust" of a report: reasons, and the worst of their grades as the verdict. */
#ifndef DWELL_ANALYZE_VERDICT_H
#define DWELL_ANALYZE_VERDICT_H

#include "core/capture.h"
#include "core/report.h"

enum trust_grade { TRUST_GOOD, TRUST_FAIR, TRUST_POOR };

struct verdict {
	struct report *report;
	struct section *section;
	struct finding *finding;
	enum trust_grade grade;
};

void verdict_begin(struct verdict *v, struct report *r);
struct finding *verdict_reason(struct verdict *v, enum trust_grade grade, const char *key,
			       const char *text);
/* Lines that could not be read; NULL: there are none. */
struct finding *verdict_damage(struct verdict *v, enum trust_grade grade, const struct capture *c);
void verdict_end(struct verdict *v);

#endif
