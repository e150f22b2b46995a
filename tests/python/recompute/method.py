"""The formulas of docs/methodology.md, written again. Times are seconds since 1970, days are solar day numbers."""

import hashlib
import json
import math
from collections import Counter, defaultdict

from ledger import date_of_day, parent, utc_date

SOURCES = {"scout": 1.0, "fleet_cam": 0.8, "telematics_api": 0.6, "seed_survey": 0.5}
STATES = {"verified": 1.0, "corroborated": 0.9, "provisional": 0.7, "rejected": 0.0}
WINDOW_DAYS = 365
CORROBORATION_DAYS = 30


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
        if sighting.accepted_evidence:
            by_asset[sighting.asset].append(sighting)
    for sighting in sightings:
        corroborated = any(
            other.observer != sighting.observer and abs(other.day - sighting.day) <= CORROBORATION_DAYS
            for other in by_asset[sighting.asset]
        )
        yield sighting, sighting.verdict or ("corroborated" if corroborated else "provisional")


def trust(source, state):
    return rounded(SOURCES[source] * STATES[state], 3)


def countable(sightings, today):
    """One a day and observer, the lowest row; within the window."""
    accepted = sorted(
        (s for s in sightings if s.accepted_evidence and 0 <= today - s.day < WINDOW_DAYS),
        key=lambda s: (s.day, s.id),
    )
    first = {}
    for sighting in accepted:
        first.setdefault((sighting.day, sighting.observer), sighting)
    return list(first.values())


def saturation(amount, scale):
    return 1 - math.exp(-amount / scale)


def raw_score(counted, weights, today):
    """(raw, parts): parts by name, each (value, weight)."""
    ages = [today - s.day for s in counted]
    volume = sum(weights[s.id] * 0.5 ** (age / 90) for s, age in zip(counted, ages))
    parts = {
        "recency": (0.5 ** (min(ages) / 60) if ages else 0.0, 0.25),
        "volume": (saturation(volume, 6), 0.3),
        "breadth": (saturation(len({s.cell for s in counted if s.fine}), 3), 0.1),
        "assets": (saturation(len({s.asset for s in counted}), 3), 0.1),
        "independence": (saturation(len({s.observer for s in counted}), 3), 0.25),
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
    busiest = max(observers.values(), default=0)
    concentrated = len(observers) >= 3 and len(counted) >= 10 and busiest / len(counted) > 0.8
    if record.flagged or concentrated:
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
    pps = {id: rounded(100 / (1 + math.exp(-(raw - centre) / spread)), 9) for id, raw in raws.items()}
    levels = sorted(set(pps.values()), reverse=True)
    ties = Counter(pps.values())
    placed = {}
    for id, value in pps.items():
        below = sum(count for level, count in ties.items() if level < value)
        percentile = 100 * (below + ties[value] / 2) / len(pps)
        placed[id] = (value, percentile, levels.index(value) + 1)
    return placed, centre, spread


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


def asset_status(asset, sightings, today):
    if asset.retirements and asset.retirements[-1][1]:
        return "retired"
    days = [s.day for s in sightings if s.accepted_evidence]
    return "active" if days and 0 <= today - max(days) < stale_after(asset.body["asset_type"]) else "stale"


def coverage_metrics(per_record, eligible, today):
    """The metrics of a city but for its number of scouts, which private hashes decide."""
    citations = [
        (record, s) for record, seen in per_record.items() for s in seen if s.accepted_evidence and s.day <= today
    ]
    recent = [(record, s) for record, s in citations if today - s.day < 180]
    cells = {s.cell for _, s in recent if s.fine and today - s.day < 90}
    fresh = {s.cell for _, s in recent if s.fine and today - s.day < 45}
    days = defaultdict(set)
    for record, s in recent:
        days[record].add(s.day)
    sources = Counter(s.body["source_type"] for _, s in recent)
    return {
        "physical_citations_180d": len(recent),
        "unique_entities_180d": len(days),
        "unique_assets_180d": len({s.asset for _, s in recent}),
        "observed_cells_90d": len(cells),
        "observed_eligible_cells_90d": len(cells & eligible),
        "eligible_coverage_cells": len(eligible),
        "cell_coverage_ratio_90d": share(len(cells & eligible), len(eligible)),
        "independent_scout_observations_180d": len(
            {(record, s.observer, s.day) for record, s in recent if s.body["source_type"] == "scout"}
        ),
        "independent_scout_days_180d": len({s.day for _, s in recent if s.body["source_type"] == "scout"}),
        "repeat_entity_rate_180d": share(sum(len(seen) > 1 for seen in days.values()), len(days)),
        "active_observation_days_30d": len({s.day for _, s in recent if today - s.day < 30}),
        "fresh_cell_rate_45d": share(len(fresh), len(cells)),
        "source_family_count_180d": len(sources),
        "largest_source_family_share_180d": share(max(sources.values(), default=0), len(recent)),
    }


def event_id(kind, subject, seconds):
    text = json.dumps([kind, subject, utc_date(seconds)], separators=(",", ":"))
    return "evt_" + hashlib.sha256(text.encode()).hexdigest()[:24]


class Events:
    """Change events of one city: {id: (type, detected, record public id, evidence)}."""

    def __init__(self, ledger, city, records, checks, as_of):
        self.ledger, self.city, self.as_of, self.checks = ledger, city, as_of, checks
        self.found = {}
        self.looks = self._looks(records)
        for record, sightings in records:
            self._of_record(record, sightings)

    def live(self, s):
        late = self.city.day(s.published) - s.day
        return not s.body["derived_from_archive"] and s.body["source_type"] != "seed_survey" and late <= 30

    def _looks(self, records):
        looks = defaultdict(list)
        for _record, sightings in records:
            for s in filter(self.live, sightings):
                for place in {s.cell, parent(s.cell, 5)}:
                    looks[place].append(s)
        return looks

    def _add(self, kind, subject, detected, record, evidence):
        if detected <= self.as_of:
            count = sum(s.accepted_evidence for s in evidence)
            self.found.setdefault(event_id(kind, subject, detected), (kind, detected, record.public_id, count))

    def _of_record(self, record, sightings):
        at = record.published
        first = [s for s in sightings if s.published == at]
        if any(map(self.live, first)):
            self._add("new_public_record", record.public_id, at, record, first)
        by_asset = defaultdict(list)
        for s in sightings:
            by_asset[s.asset].append(s)
        for row, seen in by_asset.items():
            self._new_asset(record, self.ledger.assets[row], seen)
            self._stale_asset(record, self.ledger.assets[row], seen)
        self._digital_gaps(record, sightings)

    def _new_asset(self, record, asset, seen):
        at = self.ledger.published(asset.id)
        wrap = asset.body["asset_type"] == "vehicle_wrap"
        first = [s for s in seen if s.published == at]
        if (wrap or at > record.published) and any(map(self.live, first)):
            kind = "new_wrapped_fleet_asset" if wrap else "new_observed_asset"
            self._add(kind, asset.body["public_id"], at, record, first)

    def _stale_asset(self, record, asset, seen):
        ordered = sorted(seen, key=lambda s: (s.published, not self.live(s), s.id))
        lasts = []
        for s in ordered:
            if not lasts or s.day > lasts[-1].day:
                lasts.append(s)
        for index, last in enumerate(lasts):
            unseen = (last.day + stale_after(asset.body["asset_type"])) * 86400 - self.city.offset_hours * 3600
            looked = [s.published for s in self.looks[last.cell] if s.day > last.day]
            detected = max(unseen, last.published, min(looked, default=math.inf))
            until = lasts[index + 1].published if index + 1 < len(lasts) else math.inf
            decided = sorted(
                (self.ledger.published(row), number, retired) for number, (row, retired) in enumerate(asset.retirements)
            )
            retired = [is_retired for at, _number, is_retired in decided if at <= detected]
            if detected < until and self.live(last) and not (retired and retired[-1]):
                evidence = [s for s in seen if s.published <= detected]
                self._add("stale_asset", asset.body["public_id"], detected, record, evidence)

    def _digital_gaps(self, record, sightings):
        definite = sorted((c for c in self.checks if c[1] != "unknown"), key=lambda c: c[0])
        definite = [c for c in definite if c[2] == record.id]
        for index, (checked, verdict, _record) in enumerate(definite):
            if verdict == "none" and (index == 0 or definite[index - 1][1] != "none"):
                at = max(checked, record.published)
                self._add("digital_gap_detected", record.public_id, at, record, [s for s in sightings if s.published <= at])
