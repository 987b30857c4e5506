/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/verdict.h"

#include "base/units.h"

void verdict_begin(struct verdict *v, struct report *r)
{
	*v = (struct verdict){ .report = r, .section = report_section(r, "trust", "TRUST", NULL) };
	v->finding = report_finding(r, v->section, "verdict", NULL);
}

struct finding *verdict_reason(struct verdict *v, enum trust_grade grade, const char *key,
			       const char *text)
{
	if (grade > v->grade)
		v->grade = grade;
	return report_finding(v->report, v->section, key, text);
}

struct finding *verdict_damage(struct verdict *v, enum trust_grade grade, const struct capture *c)
{
	if (!c->damaged)
		return NULL;
	return verdict_reason(v, grade, "damage",
			      arena_printf(&v->report->arena,
					   "%s line%s could not be read; the first: line %u, %s",
					   units_count((int64_t)c->damaged).s,
					   c->damaged == 1 ? "" : "s", c->damage.at[0].line,
					   c->damage.at[0].why));
}

void verdict_end(struct verdict *v)
{
	static const char *const words[] = { "good", "fair", "poor" };
	finding_fact(v->finding, "verdict", value_text(words[v->grade]));
	v->section->note = words[v->grade];
}
