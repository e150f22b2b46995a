"""The formulas of docs/methodology.md, written again. Times are seconds since 1970, days are solar day numbers."""

import hashlib
import itertools
import json
import math
from collections import Counter, defaultdict

from ledger import date_of_day, utc_date

SOURCES = {"scout": 1.0, "fleet_cam": 0.8, "telematics_api": 0.6, "seed_survey": 0.5}
STATES = {"verified": 1.0, "corroborated": 0.9, "provisional": 0.7, "rejected": 0.0}
WINDOW_DAYS = 365
CORROBORATION_DAYS = 30
TEMPORARY_SHARE = 0.25


def rounded(value, decimals):
    scale = 10**decimals
    return math.floor(value * scale + 0.5) / scale


def share(part, whole):
    return rounded(part / whole, 4) if whole else 0


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def judge(sightings):
    """State and trust weight of each sighting."""
    by_asset = defaultdict(list)
    for sighting in sightings:
        if sighting.independent:
            by_asset[sighting.asset].append(sighting)
    for sighting in sightings:
        corroborated = sighting.independent and any(
            other.observer != sighting.observer and abs(other.day - sighting.day) <= CORROBORATION_DAYS
            for other in by_asset[sighting.asset]
        )
        yield sighting, sighting.verdict or ("corroborated" if corroborated else "provisional")


def trust(source, state):
    return rounded(SOURCES[source] * STATES[state], 3)


def lasting(s):
    """Whether it shows more than a temporary sign."""
    return s.body["asset_type"] != "temp_sign"


def countable(sightings, today):
    """One a day and principal that counts, the lowest row, temporary signs last; within the window."""
    accepted = sorted(
        (s for s in sightings if s.independent and 0 <= today - s.day < WINDOW_DAYS),
        key=lambda s: (s.day, not lasting(s), s.id),
    )
    first = {}
    for sighting in accepted:
        first.setdefault((sighting.day, sighting.observer), sighting)
    return list(first.values())


def saturation(amount, scale):
    return 1 - math.exp(-amount / scale)


def raw_score(counted, weights, today):
    """(raw, parts): parts by name, each (value, weight)."""
    lift = lambda s: 1.0 if lasting(s) else TEMPORARY_SHARE
    volume = sum(lift(s) * weights[s.id] * 0.5 ** ((today - s.day) / 90) for s in counted)

    def lifted(keys):
        """The number of keys, of which those of temporary signs alone count a share."""
        best = {}
        for key, s in keys:
            best[key] = max(best.get(key, 0), lift(s))
        return sum(best.values())

    parts = {
        "recency": (max((lift(s) * 0.5 ** ((today - s.day) / 60) for s in counted), default=0.0), 0.25),
        "volume": (saturation(volume, 6), 0.3),
        "breadth": (saturation(lifted((s.cell, s) for s in counted if s.fine), 1), 0.05),
        "assets": (saturation(lifted((s.asset, s) for s in counted), 1), 0.05),
        "independence": (saturation(lifted((s.observer, s) for s in counted), 3), 0.35),
    }
    return rounded(100 * sum(value * weight for value, weight in parts.values()), 9), parts


def gate(record, counted):
    observers = Counter(s.observer for s in counted)
    counts = {
        "independent_observers": (len(observers), 3),
        "countable_observations": (len(counted), 5),
        "observation_days": (len({s.day for s in counted}), 2),
    }
    names = {"countable_observations": "independent_observations"}
    missing = [names.get(name, name) for name, (has, wants) in counts.items() if has < wants]
    if not record.authoritative:
        missing.append("industry_classification_review")
    if record.flagged:
        status = "integrity_review"
    else:
        status = "evidence_building" if missing else "eligible"
    return status, counts, missing


def cohort(raws):
    """{id: (pps, percentile, rank)} with median and spread; None for fewer than five."""
    if len(raws) < 5:
        return None
    centre = median(raws.values())
    distances = [abs(raw - centre) for raw in raws.values()]
    spread = max(1.4826 * median(distances), 1.2533 * math.fsum(distances) / len(distances), 5)
    pps = {id: pps_of(raw, centre, spread) for id, raw in raws.items()}
    levels = sorted(set(pps.values()), reverse=True)
    ties = Counter(pps.values())
    placed = {}
    for id, value in pps.items():
        below = sum(count for level, count in ties.items() if level < value)
        percentile = 100 * (below + ties[value] / 2) / len(pps)
        placed[id] = (value, percentile, levels.index(value) + 1)
    return placed, centre, spread


def without_any_one(record, sightings, today):
    """(lowest raw score, whether the gate holds), each observer of countable sightings left out in turn."""
    lowest, holds = math.inf, True
    for left in {s.observer for s in countable(sightings, today)}:
        rest = [s for s in sightings if s.observer != left]
        weights = {s.id: trust(s.body["source_type"], state) for s, state in judge(rest)}
        counted = countable(rest, today)
        lowest = min(lowest, raw_score(counted, weights, today)[0])
        holds = holds and gate(record, counted)[0] == "eligible"
    return lowest, holds


def pps_of(raw, centre, spread):
    return rounded(100 / (1 + math.exp(-(raw - centre) / spread)), 9)


def week_ends(today):
    """The last 26 Sundays that are over; 1970-01-01 was a Thursday."""
    yesterday = today - 1
    last = yesterday - (yesterday + 4) % 7
    return [last - 7 * back for back in range(25, -1, -1)]


def histories(records, today):
    """{record id: [(date, pps, count of 30 days)]}; `records` are (record, sightings) of one city's active ones."""
    found = defaultdict(list)
    for sunday in week_ends(today):
        raws, recent = {}, {}
        for record, sightings in records:
            seen = [s for s in sightings if s.day <= sunday]
            counted = countable(seen, sunday)
            if gate(record, counted)[0] != "eligible":
                continue
            weights = {s.id: trust(s.body["source_type"], state) for s, state in judge(seen)}
            raws[record.id] = raw_score(counted, weights, sunday)[0]
            recent[record.id] = sum(s.accepted_evidence and sunday - s.day < 30 for s in seen)
        ranked = cohort(raws)
        for id, (pps, _percentile, _rank) in (ranked[0] if ranked else {}).items():
            found[id].append((date_of_day(sunday), rounded(pps, 2), recent[id]))
    return found


def stale_after(asset_type):
    return 90 if asset_type in ("vehicle_wrap", "temp_sign") else 180


def retired_after(asset_type):
    return 180 if asset_type in ("vehicle_wrap", "temp_sign") else 365


def dating(sightings):
    """What a record or an asset is dated by: what counts; while nothing does, what is accepted."""
    return [s for s in sightings if s.independent] or [s for s in sightings if s.accepted_evidence]


def asset_status(asset, sightings, today):
    """The status, and what retired it."""
    row, retired = asset.retirements[-1] if asset.retirements else (0, False)
    if retired:
        return "retired", "review"
    seen = dating(sightings)
    if not seen:
        return "stale", None
    age = today - max(s.day for s in seen)
    if 0 <= age < stale_after(asset.body["asset_type"]):
        return "active", None
    kept = row > max(s.id for s in seen)  # a reviewer said that it is still there
    return ("stale", None) if kept or age < retired_after(asset.body["asset_type"]) else ("retired", "age")


def looked_weeks(citations, looks, today, days):
    """{cell: ISO weeks in which it was looked at} in the last `days` days; of a week row only whole weeks count."""
    weeks = defaultdict(set)
    for s in citations:
        if s.fine and s.independent and 0 <= today - s.day < days:
            weeks[s.cell].add((s.day + 3) // 7)  # 1970-01-01 was a Thursday
    for look in looks:
        if look.span == "week" and look.last <= today and today - look.first < days:
            for cell in look.cells:
                weeks[cell].add((look.first + 3) // 7)
    return weeks


def coverage_metrics(per_record, looks, eligible, today):
    """The metrics of a city but for its number of scouts; `eligible` has the weight of each cell."""
    citations = [
        (record, s) for record, seen in per_record.items() for s in seen if s.accepted_evidence and s.day <= today
    ]
    recent = [(record, s) for record, s in citations if today - s.day < 180]
    cells = looked_weeks([s for _, s in citations], looks, today, 90)
    fresh = looked_weeks([s for _, s in citations], looks, today, 45)
    looked = set(cells) & set(eligible)
    repeated = {cell for cell in looked if len(cells[cell]) >= 2}
    total = sum(eligible.values())
    days = defaultdict(set)
    for record, s in recent:
        days[record].add(s.day)
    sources = Counter(s.body["source_type"] for _, s in recent)
    scouts = [(record, s) for record, s in recent if s.body["source_type"] == "scout" and s.independent]
    return {
        "physical_citations_180d": len(recent),
        "unique_entities_180d": len(days),
        "unique_assets_180d": len({s.asset for _, s in recent}),
        "observed_cells_90d": len(cells),
        "observed_eligible_cells_90d": len(looked),
        "eligible_coverage_cells": len(eligible),
        "cell_coverage_ratio_90d": share(sum(eligible[cell] for cell in looked), total),
        "repeated_eligible_cells_90d": len(repeated),
        "repeated_cell_ratio_90d": share(sum(eligible[cell] for cell in repeated), total),
        "independent_scout_observations_180d": len({(record, s.observer, s.day) for record, s in scouts}),
        "independent_scout_days_180d": len({s.day for _, s in scouts}),
        "repeat_entity_rate_180d": share(sum(len(seen) > 1 for seen in days.values()), len(days)),
        "active_observation_days_30d": len({s.day for _, s in recent if today - s.day < 30}),
        "fresh_cell_rate_45d": share(len(fresh), len(cells)),
        "source_family_count_180d": len(sources),
        "largest_source_family_share_180d": share(max(sources.values(), default=0), len(recent)),
    }


def event_id(*parts):
    return "evt_" + hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()[:24]


def looked_since(months, last):
    return [m for m in months if m.first > last.day and last.cell in m.cells]


def months_looked(months, last):
    return len(looked_since(months, last)) if last is not None and last.fine else None


def certainty(kind, evidence, months, checks):
    """Confidence, newest and strongest state, observers, months looked: docs/methodology.md, Change events."""
    observers = len({s.observer for s in evidence})
    if not evidence:
        return 0, None, None, 0, months
    newest = max(evidence, key=lambda s: (s.day, s.id)).state
    strongest = max((s.state for s in evidence), key=STATES.get)
    start = {"provisional": 0.6, "corroborated": 0.75, "verified": 0.85}[strongest]
    steps = min(observers - 1, 2)
    if kind == "stale_asset":
        start, steps = 0.65, min(months or 0, 5)
    elif kind == "digital_gap_detected":
        start, steps = 0.7, min(checks, 3)
    return round(start + 0.05 * steps, 2), newest, strongest, observers, months


class Events:
    """Change events of one city: {id: (type, detected, record public id, evidence, certainty)}."""

    def __init__(self, ledger, city, records, checks, as_of):
        self.ledger, self.city, self.as_of, self.checks = ledger, city, as_of, checks
        self.found = {}
        self.months = [look for look in ledger.looks if look.span == "month" and look.city == city.slug]
        self.listed_at = {s.id: record.id for record, seen in records for s in seen}
        self.listed_assets = {s.asset for _record, seen in records for s in seen}
        stand_ins = ledger.stand_ins([record.id for record, _ in records])
        groups = defaultdict(list)  # record of then -> [(from, until, moved, sighting, asset of then)]
        for _record, sightings in records:
            for s in sightings:
                for (where, asset), *spell in ledger.spells(s):
                    groups[where].append((*spell, s, asset))
        for record, _sightings in records:
            self._of_record(record, groups[record.id])
            self._of_assets(record, groups[record.id])
            for gone, stays in stand_ins.items():
                if stays == record.id:
                    self._of_assets(record, groups[gone])

    def live(self, s):
        late = self.city.day(s.published) - s.day
        return not s.body["derived_from_archive"] and s.body["source_type"] != "seed_survey" and late <= 30

    def _add(self, kind, subject, detected, record, evidence, months=None, checks=0):
        """`subject`: parts of the id. Counted is what is evidence still; the earliest of one id stands."""
        still = {
            s.id: s for *_, s, asset in evidence if s.independent and (self.listed_at[s.id], s.asset) == (record.id, asset)
        }
        id = event_id(kind, *subject)
        if detected <= self.as_of and detected < self.found.get(id, (None, math.inf))[1]:
            self.found[id] = (kind, detected, record.public_id, len(still), certainty(kind, [*still.values()], months, checks))

    def _news(self, seen):
        """What counted first, if it is news."""
        first = min((start for start, *_ in seen), default=math.inf)
        evidence = [each for each in seen if each[0] == first]
        is_news = any(self.live(each[3]) for each in evidence) and not any(each[2] for each in evidence)
        return first, evidence if is_news else []

    def _of_record(self, record, seen):
        first, evidence = self._news(seen)
        if evidence:
            self._add("new_public_record", [record.public_id], first, record, evidence)
        definite = sorted(c for c in self.checks if c[1] != "unknown" and c[2] == record.id)
        for index, (checked, verdict, _record) in enumerate(definite):
            if verdict != "none" or (index > 0 and definite[index - 1][1] == "none"):
                continue
            at = max(checked, first)
            if at < min((c[0] for c in definite[index + 1 :] if c[1] != "none"), default=math.inf):
                known = [each for each in seen if each[0] <= at]
                later = list(itertools.takewhile(lambda c: c[1] == "none", definite[index + 1 :]))
                subject = [record.public_id, utc_date(checked)]
                self._add("digital_gap_detected", subject, at, record, known, checks=len(later))

    def _of_assets(self, record, seen):
        record_first = min((start for start, *_ in seen), default=math.inf)
        by_asset = defaultdict(list)
        for each in seen:
            by_asset[each[4]].append(each)
        for row, own in by_asset.items():
            asset = self.ledger.assets.get(row)
            if asset is None or row not in self.listed_assets:
                continue
            first, evidence = self._news(own)
            wrap = asset.body["asset_type"] == "vehicle_wrap"
            if evidence and (wrap or first > record_first):
                kind = "new_wrapped_fleet_asset" if wrap else "new_observed_asset"
                still = [e for e in own if e[3].independent and (self.listed_at[e[3].id], e[3].asset) == (record.id, row)]
                last = max((e[3] for e in still), key=lambda s: (s.day, s.id), default=None)
                months = months_looked(self.months, last)
                self._add(kind, [asset.body["public_id"]], first, record, evidence, months)
            self._stale_asset(record, asset, own)

    def _lasts(self, seen):
        """[(since, until, last)]: which sighting that counted was the last one when."""
        ordered = sorted(seen, key=lambda each: (each[0], not self.live(each[3]), each[3].id))
        found = []
        for time in sorted({time for start, end, *_ in seen for time in (start, end) if time < math.inf}):
            counting = [each for each in ordered if each[0] <= time < each[1]]
            last = max(counting, key=lambda each: each[3].day, default=None)
            if found and found[-1][2] == last:
                continue
            if found and found[-1][1] == math.inf:
                found[-1][1] = time
            if last is not None:
                found.append([time, math.inf, last])
        return found

    def _stale_asset(self, record, asset, seen):
        for since, until, (start, _end, moved, last, _asset) in self._lasts(seen):
            stale = (last.day + stale_after(asset.body["asset_type"])) * 86400 - self.city.offset_hours * 3600
            looked = [m.published for m in looked_since(self.months, last)]
            # Nobody looks for one vehicle: it is stale by age alone.
            stale = max(stale, min(looked, default=math.inf) if last.fine else -math.inf)
            detected = max(stale, start, since)
            decided = sorted(
                (self.ledger.published(row), number, retired) for number, (row, retired) in enumerate(asset.retirements)
            )
            retired = [is_retired for at, _number, is_retired in decided if at <= detected]
            if detected < until and self.live(last) and not (retired and retired[-1]) and not (moved and stale <= start):
                evidence = [each for each in seen if each[0] <= detected]
                subject = [asset.body["public_id"], date_of_day(last.day)]
                months = sum(at < until for at in looked) if last.fine else None
                self._add("stale_asset", subject, detected, record, evidence, months)
