"""What every surface of a release must say, by the rows alone, compared with what it says."""

import csv
import hashlib
import io
import json
import math
import re
from collections import Counter, defaultdict

import method
from ledger import Ledger, eligible_list, instant, utc_date
from published_site import page_text


class Faults:
    """Counts comparisons by surface and keeps what differs."""

    def __init__(self):
        self.compared, self.faults = Counter(), []

    def same(self, surface, place, got, want):
        self.compared[surface] += 1
        close = isinstance(got, (int, float)) and isinstance(want, float) and math.isclose(got, want, abs_tol=1e-8)
        if got != want and not close:
            self.faults.append(f"{surface}: {place}: published {got!r}, recomputed {want!r}")


class Expected:
    """What follows from the rows of one record."""

    def __init__(self, release, city, record, sightings):
        self.city, self.record, self.sightings = city, record, sightings
        self.accepted = [s for s in sightings if s.accepted_evidence]
        self.dating = method.dating(sightings)
        self.independent = [s for s in sightings if s.independent]
        self.counted = method.countable(sightings, release.today(city))
        weights = {s.id: s.trust for s in sightings}
        self.raw, self.parts = method.raw_score(self.counted, weights, release.today(city))
        self.gate, self.counts, self.missing = method.gate(record, self.counted)
        self.pps = self.percentile = self.rank = self.pps_without = None
        self.gate_holds = False
        self.history = []
        self.cells = {s.cell for s in self.accepted if s.fine}
        self.assets = defaultdict(list)
        for s in sightings:
            self.assets[s.asset].append(s)

    @property
    def dissolved(self):
        return self.record.status == "dissolved"

    @property
    def newest(self):
        """The accepted sighting that was observed last; of equal ones the highest row."""
        return max(self.accepted, key=lambda s: (s.observed, s.id), default=None)


class Release:
    def __init__(self, site):
        self.site = site
        inputs = site.json("manifest.json")["inputs"]
        self.as_of, self.tree_size, self.base_url = instant(inputs["as_of"]), inputs["tree_size"], inputs["base_url"]
        self.service = inputs.get("site_name", "Physical Presence Evidence Service")
        self.ledger = Ledger(site.lines("ledger/disclosures/"))
        self.checks = [parsed_check(line) for line in site.lines("ledger/online-checks.ndjson")]
        listed = self.ledger.listed(self.as_of)
        self.cities = {c.slug: c for c in self.ledger.cities.values() if c.published}
        self.records = {}
        for row, sightings in listed.items():
            for s, state in method.judge(sightings):
                s.state, s.trust = state, method.trust(s.body["source_type"], state)
            record = self.ledger.records[row]
            self.records[row] = Expected(self, self.cities[record.body["city"]], record, sightings)
        self.cohorts = {slug: self._rank(slug) for slug in self.cities}

    def today(self, city):
        return city.day(self.as_of)

    def of_city(self, slug):
        return [e for e in self.records.values() if e.city.slug == slug]

    def active(self, slug):
        return [e for e in self.of_city(slug) if not e.dissolved]

    def _rank(self, slug):
        active = self.active(slug)
        raws = {e.record.id: e.raw for e in active if e.gate == "eligible"}
        for e in (self.records[id] for id in raws):
            without = method.without_any_one(e.record, e.sightings, self.today(e.city))
            e.raw_without, e.gate_holds = without
        placed = method.cohort(raws)
        for id, (pps, percentile, rank) in (placed[0] if placed else {}).items():
            e = self.records[id]
            e.pps, e.percentile, e.rank = method.rounded(pps, 2), method.rounded(percentile, 2), rank
            e.pps_without = method.pps_of(e.raw_without, placed[1], placed[2])
        pairs = [(e.record, e.sightings) for e in active]
        for id, points in method.histories(pairs, self.today(self.cities[slug])).items():
            self.records[id].history = points
        return len(raws), placed


def parsed_check(line):
    check = json.loads(line)
    return instant(check["checked_at"]), check["verdict"], check["record"]


def compare(release, mcp=None):
    faults = Faults()
    by_id = {e.record.public_id: e for e in release.records.values()}
    for public_id, expected in by_id.items():
        record_documents(release, faults, public_id, expected)
        record_page(release, faults, public_id, expected)
    for city in release.cities.values():
        city_index(release, faults, city, by_id)
        city_coverage(release, faults, city)
        cells(release, faults, city)
        events(release, faults, city)
    explorer(release, faults)
    city_table(release, faults)
    if mcp is not None:
        for public_id, expected in by_id.items():
            tools(release, faults, mcp, public_id, expected)
    return faults


def time_of(seconds):
    return f"{utc_date(seconds)}T{int(seconds % 86400) // 3600:02}:{int(seconds % 3600) // 60:02}:{int(seconds % 60):02}Z"


def span(sightings):
    times = [s.observed for s in sightings]
    return (time_of(min(times)), time_of(max(times))) if times else (None, None)


def day_span(city, sightings):
    days = [city.date(s.observed) for s in sightings]
    return (min(days), max(days)) if days else (None, None)


def record_documents(release, faults, public_id, e):
    site = release.site
    entity = site.json(f"api/v1/entity/{public_id}.json")
    score = site.json(f"api/v1/presence-score/{public_id}.json")
    packet = site.json(f"api/v1/entity/{public_id}/evidence.json")
    first, last = span(e.dating)
    for surface, holder in (("entity", entity["entity"]), ("packet", packet["record"])):
        faults.same(surface, f"{public_id} first_observed", holder["first_observed"], first)
        faults.same(surface, f"{public_id} last_observed", holder["last_observed"], last)
        days = (holder["first_observed_on"], holder["last_observed_on"])
        faults.same(surface, f"{public_id} days", days, day_span(e.city, e.dating))
        faults.same(surface, f"{public_id} place", holder["place_precision"], "cell" if e.cells else "city")
    for surface, counts in (("entity", entity["stats"]), ("packet", packet["observations"])):
        total = counts.get("observation_count", counts.get("total_public"))
        faults.same(surface, f"{public_id} observations", total, len(e.accepted))
        faults.same(surface, f"{public_id} unique_cells", counts["unique_cells"], len(e.cells))
        accepted_assets = len({s.asset for s in e.accepted})
        faults.same(surface, f"{public_id} unique_assets", counts["unique_assets"], accepted_assets)
    for surface, holder in (("entity", entity["presence_score"]), ("entity", entity["entity"]), ("score", score)):
        standing(faults, surface, public_id, holder, e)
    components(faults, public_id, score, e)
    points = [(p["date"], p["pps"], p["observation_count_30d"]) for p in score["history"]]
    faults.same("score", f"{public_id} history", points, e.history)
    for holder in (entity["assets"], packet["assets"]):
        faults.same("assets", f"{public_id} assets", [a["id"] for a in holder], sorted(e.assets))
        for published in holder:
            asset(release, faults, published, e)
    observations(release, faults, public_id, packet, e)
    mixes(release, faults, public_id, packet, e)


def standing(faults, surface, public_id, holder, e):
    same = lambda name, got, want: faults.same(surface, f"{public_id} {name}", got, want)
    same("pps", holder["pps"], e.pps)
    without = e.pps_without if e.pps_without is None else method.rounded(e.pps_without, 2)
    same("pps_without_any_one_observer", holder["pps_without_any_one_observer"], without)
    same("gate_holds", holder["gate_holds_without_any_one_observer"], e.gate_holds)
    same("provisional_pps", holder["provisional_pps"], method.rounded(e.raw, 2))
    for name, (current, required) in e.counts.items():
        published = holder["ranking_gate"][name]
        same(name, (published["current"], published["required"], published["met"]), (current, required, current >= required))
    same("observers", holder["independent_observer_count"], e.counts["independent_observers"][0])
    same("observations", holder["independent_observation_count"], e.counts["countable_observations"][0])
    same("set_aside_count", holder["set_aside_count"], len(e.accepted) - len(e.independent))
    same("counting", holder["counting_observation_count"], len(e.independent))
    same("days", holder["observation_day_count"], e.counts["observation_days"][0])
    gate, missing, state = ranking(e)
    same("gate", holder["ranking_gate"]["status"], gate)
    same("missing", holder["ranking_gate"]["missing_requirements"], missing)
    same("ranking_state", holder["ranking_state"], state)
    if "pbi_rank" in holder:
        same("rank", (holder["pbi_rank"], holder["cohort_percentile"]), (e.rank, e.percentile))


def ranking(e):
    """Gate, what is missing, and ranking state: docs/methodology.md, Ranking gate."""
    if e.dissolved:
        return "outside_ranking", [*e.missing, "active_record"], "outside_ranking"
    if e.gate == "integrity_review":
        return e.gate, [*e.missing, "integrity_review"], "integrity_review"
    if e.gate == "eligible":
        return e.gate, e.missing, "ranked" if e.rank else "awaiting_cohort"
    return e.gate, e.missing, "insufficient_evidence"


def components(faults, public_id, score, e):
    parts = {p["key"]: p["value"] for p in score["components"]["parts"]}
    faults.same("score", f"{public_id} raw", score["components"]["raw_score"], e.raw)
    for name, (value, _weight) in e.parts.items():
        faults.same("score", f"{public_id} {name}", parts[name], method.rounded(value, 9))


def asset(release, faults, published, e):
    seen = e.assets[published["id"]]
    accepted = [s for s in seen if s.accepted_evidence]
    legible = [s.body["legibility"] for s in accepted if s.body["legibility"] is not None]
    row = release.ledger.assets[published["id"]]
    same = lambda name, got, want: faults.same("assets", f"{published['public_id']} {name}", got, want)
    dating = method.dating(seen)
    same("dates", (published["first_observed"], published["last_observed"]), span(dating))
    same("days", (published["first_observed_on"], published["last_observed_on"]), day_span(e.city, dating))
    same("legibility", published["legibility_score"], method.median(legible) if legible else None)
    months = [look for look in release.ledger.looks if look.span == "month" and look.city == e.city.slug]
    newest = max(dating, key=lambda s: (s.day, s.id), default=None)
    same("months looked", published["months_looked_since"], method.months_looked(months, newest))
    same("observations", published["observation_count"], len(accepted))
    same("counting", published["counting_observation_count"], sum(s.independent for s in accepted))
    same(
        "status",
        [published["status"], published["retired_by"]],
        list(method.asset_status(row, seen, release.today(e.city))),
    )


def observations(release, faults, public_id, packet, e):
    listed = release.site.json(f"api/v1/observations/{public_id}.json")
    faults.same("observations", f"{public_id} total_count", listed["total_count"], len(e.sightings))
    newest_first = sorted(e.sightings, key=lambda s: (-s.published, -s.id))
    for surface, rows in (("observations", listed["observations"]), ("packet", packet["observations"]["recent"])):
        faults.same(surface, f"{public_id} rows", [r["id"] for r in rows], [s.id for s in newest_first[: len(rows)]])
        for row, s in zip(rows, newest_first):
            observation(faults, surface, row, s, e.city)


def observation(faults, surface, row, s, city):
    same = lambda name, got, want: faults.same(surface, f"row {s.id} {name}", got, want)
    same("state", (row["verif_state"], row["observation_verification_state"]), (s.state, s.state))
    same("weight", row["trust_weight"], s.trust)
    same("citation", row["physical_citation"], s.accepted_evidence)
    same("principal", (row["observer_tag"], row["source"]), (s.observer, s.source))
    same("counts", (row["counts_as_independent"], row["set_aside"]), (s.independent, s.set_aside))
    same("observed_at", row["observed_at"], time_of(s.observed))
    same("observed_on", row["observed_on"], city.date(s.observed))
    same("accepted_at", row["accepted_at"], time_of(max(s.accepted, s.observed)))
    same("published_at", row["published_at"], time_of(s.published))
    same("precision", row["time_precision"]["observed_at"], "day")
    same("cell", row["h3_cell"], s.cell)


def mixes(release, faults, public_id, packet, e):
    verification = {m["value"]: m["count"] for m in packet["observations"]["verification_mix"]}
    faults.same("packet", f"{public_id} verification_mix", verification, dict(Counter(s.state for s in e.sightings)))
    aside = {m["value"]: m["count"] for m in packet["observations"]["set_aside_mix"]}
    faults.same("packet", f"{public_id} set_aside_mix", aside, dict(Counter(s.set_aside for s in e.accepted if s.set_aside)))
    faults.same("packet", f"{public_id} counting", packet["observations"]["counting"], len(e.independent))
    kinds = Counter(s.body["presence_kind"] for s in e.accepted)
    cited = {k: packet["citations"][k] for k in ("location_presence", "mobile_presence", "brand_mention")}
    faults.same("packet", f"{public_id} citations", cited, {k: kinds[k] for k in cited})
    quote(release, faults, "packet", packet["citations"]["suggested_citation"], e)
    citation_file(release, faults, public_id, e)


STATE_WORDS = {
    "provisional": "not yet corroborated",
    "corroborated": "corroborated by another observer",
    "verified": "verified in review",
}
BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"


def sentence(release, e):
    """Version 3 of the words of a citation, without its address: docs/methodology.md, Citations."""
    name, city = e.record.name, e.city.details["name"]
    as_of, tree = utc_date(release.as_of), f"signed tree of {release.tree_size} rows."
    service = release.service
    if not e.accepted:
        nothing = f'No accepted physical citation of "{name}" in {city} is published as of {as_of}, which proves nothing about it.'
        return f"{nothing} {service}, {tree}"
    newest = e.newest
    day, kind = e.city.date(newest.observed), newest.body["presence_kind"].replace("_", " ")
    words = f'"{name}" was physically observed in {city} '
    if len(e.accepted) == 1:
        by = "by one observer" if e.independent else "by an observer not counted as independent"
        words += f"once, on {day} (local solar date), {by} ({kind}), and this observation is {state_words(e, newest.state)}."
    else:
        words += f"{len(e.accepted)} times {days_between(e)}{by_whom(e)}{certainty(e)}. "
        words += f"The newest observation ({kind}), of {day} (local solar date), is {state_words(e, newest.state)}."
    synthetic = "Demonstration data, not a real observation: " if e.record.body["is_synthetic"] else ""
    return f"{synthetic}{words} {service}, data as of {as_of}, ledger row {newest.id}, {tree}"


def is_mixed(e):
    return len(e.independent) < len(e.accepted)


def state_words(e, state):
    if state == "provisional" and is_mixed(e):
        return "not yet independently corroborated"
    return STATE_WORDS[state]


def by_whom(e):
    observers, counted = len({s.observer for s in e.independent}), len(e.independent)
    by = "by one observer" if observers == 1 else f"by {observers} independent observers"
    if not is_mixed(e):
        return f" {by}"
    if counted == 0:
        return ", of which none counts as independent evidence"
    return f", of which {counted} {'counts' if counted == 1 else 'count'} as independent evidence, {by}"


def days_between(e):
    days = sorted(e.city.date(s.observed) for s in e.accepted)
    if days[0] == days[-1]:
        return f"on {days[0]} (local solar date)"
    return f"between {days[0]} and {days[-1]} (local solar dates)"


def certainty(e):
    counts, total = Counter(s.state for s in e.accepted), len(e.accepted)
    for state, count in counts.items():
        if count == total:
            return f"{'; all observations are' if is_mixed(e) else ', all of them'} {state_words(e, state)}"
    are = lambda n: "1 is" if n == 1 else f"{n} are"
    parts = [f"{are(counts[s])} {state_words(e, s)}" for s in ("verified", "corroborated", "provisional") if counts[s]]
    return f"; of {'all' if is_mixed(e) else 'these'} observations " + ", ".join(parts)


def citation_id(release, e, words):
    """Record, newest row, tree, day, version, and 40 bits of the hash of the words."""
    bits = int.from_bytes(hashlib.sha256(words.encode()).digest()[:5], "big")
    check = "".join(BASE32[bits >> shift & 31] for shift in range(35, -1, -5))
    row = e.newest.id if e.newest else 0
    return f"{e.record.public_id}.{row}.{release.tree_size}.{utc_date(release.as_of)}.v1.{check}"


NOTICE = "Under review: the independence of the observations behind this citation is in question. "


def quote(release, faults, surface, text, e):
    """The text as it is offered: before the citation of a record under review stands a notice."""
    notice = NOTICE if ranking(e)[0] == "integrity_review" else ""
    faults.same(surface, f"{e.record.public_id} quote", text, notice + published_quote(release, e))


def published_quote(release, e):
    words = sentence(release, e)
    return f"{words} {release.base_url}/cite/{citation_id(release, e, words)}/"


def citation_file(release, faults, public_id, e):
    words = sentence(release, e)
    id = citation_id(release, e, words)
    found = release.site.json(f"api/v1/citation/{id}.json")
    faults.same("citation", f"{public_id} quote", found["citation"]["quote"], published_quote(release, e))
    quote(release, faults, "citation", found["newest"]["quote"], e)
    faults.same("citation", f"{public_id} rows", found["citation"]["row_count"], len(e.accepted))
    gate, _missing, _state = ranking(e)
    status = "disputed" if gate == "integrity_review" else "current"
    faults.same("citation", f"{public_id} status", found["status"], status)
    shown = page_text(release.site.text(f"cite/{id}/index.html"))
    bare = lambda text: "".join(text.split())  # markup around a name parts it from its quotation marks
    faults.same("page", f"{public_id} citation page has the words", bare(words) in bare(shown), True)


def date_words(day):
    return f"{int(day[8:])} {'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split()[int(day[5:7]) - 1]} {day[:4]}"


def record_page(release, faults, public_id, e):
    text = page_text(release.site.text(f"record/{public_id}/index.html"))
    days = sorted(e.city.date(s.observed) for s in e.dating)
    if days:
        day = r"(\d{1,2} [A-Z][a-z]{2} \d{4})"
        shown = re.search(rf"Seen (?:once|[\d,]+ times)[^.]*? (?:on|from) {day}(?: to {day})?", text)
        first, last = (date_words(days[0]), date_words(days[-1]))
        faults.same("page", f"{public_id} dates", shown and (shown[1], shown[2] or shown[1]), (first, last))
    if e.rank is not None:
        faults.same("page", f"{public_id} pps", f"{e.pps:g}" in text, True)


def city_index(release, faults, city, by_id):
    pages = release.site.json(f"api/v1/city/{city.slug}/index.json")
    active = release.active(city.slug)
    faults.same("index", f"{city.slug} total", pages["total_count"], len(active))
    counts = Counter(e.gate for e in active)
    summary = {k: counts[k] for k in ("eligible", "evidence_building", "integrity_review")}
    faults.same("index", f"{city.slug} summary", {k: pages["ranking_summary"][k] for k in summary}, summary)
    order = sorted(
        active, key=lambda e: (e.rank is None, e.rank or 0, -e.pps_without if e.rank else -e.raw, e.record.public_id)
    )
    ids = [row["public_id"] for row in pages["rankings"]]
    faults.same("index", f"{city.slug} order", ids, [e.record.public_id for e in order][: len(ids)])
    for row in pages["rankings"]:
        e = by_id[row["public_id"]]
        faults.same("index", f"{row['public_id']} rank", row["rank"], e.rank)
        standing(faults, "index", row["public_id"], row, e)
        faults.same("index", f"{row['public_id']} dates", (row["first_observed"], row["last_observed"]), span(e.dating))


def looks_of(release, city):
    return [look for look in release.ledger.looks if look.city == city.slug]


def eligible_cells(city):
    """The weight of each eligible cell."""
    cells = eligible_list(city.details)
    return dict(zip(cells, city.details.get("weights") or [1] * len(cells), strict=True))


def city_coverage(release, faults, city):
    metrics = release.site.json(f"api/v1/coverage-status/{city.slug}.json")["coverage"]["metrics"]
    wanted = metrics_of(release, city)
    for name, value in wanted.items():
        faults.same("coverage", f"{city.slug} {name}", metrics[name], value)


def metrics_of(release, city):
    per_record = {e.record.id: e.sightings for e in release.of_city(city.slug)}
    return method.coverage_metrics(per_record, looks_of(release, city), eligible_cells(city), release.today(city))


def cells(release, faults, city):
    today = release.today(city)
    seen = defaultdict(list)
    for e in release.of_city(city.slug):
        for s in e.accepted:
            if s.fine:
                seen[s.cell].append((e.record.id, s))
    looks = [look for look in looks_of(release, city) if look.last <= today]
    weeks = method.looked_weeks([s for here in seen.values() for _, s in here], looks, today, 90)
    months = Counter(cell for look in looks if look.span == "month" for cell in look.cells)
    eligible = eligible_cells(city)
    wanted = {*seen, *eligible, *(cell for look in looks for cell in look.cells)}
    features = release.site.json(f"exports/cells/{city.slug}.geojson")["features"]
    for properties in (f["properties"] for f in features):
        cell = properties["h3_cell"]
        here = seen.get(cell, [])
        recent = [(r, s) for r, s in here if today - s.day < 90]
        days = [city.date(s.observed) for _, s in here]
        want = (len(here), len(recent), len({r for r, _ in recent}), max(days, default=None))
        want += (len(weeks.get(cell, ())), months[cell], cell in eligible)
        published = properties["last_observed"]
        got = (properties["observations"], properties["observations_90d"], properties["records_90d"], published and published[:10])
        got += (properties["weeks_looked_90d"], properties["months_looked"], properties["eligible"])
        faults.same("cells", f"{city.slug} {cell}", got, want)
    listed = [f["properties"]["h3_cell"] for f in features]
    faults.same("cells", f"{city.slug} cells", listed, sorted(wanted))


CERTAINTY = (
    "confidence",
    "verif_state",
    "strongest_verif_state",
    "independent_observer_count",
    "months_looked_since",
)


def events(release, faults, city):
    pairs = [(e.record, e.sightings) for e in release.of_city(city.slug)]
    expected = method.Events(release.ledger, city, pairs, release.checks, release.as_of).found
    pulse = release.site.json(f"api/v1/pulse/{city.slug}.json")
    since = release.as_of - 30 * 86400
    window = {id: e for id, e in expected.items() if e[1] >= since}
    faults.same("pulse", f"{city.slug} total", pulse["summary"]["total_events"], len(window))
    for event in pulse["events"]:
        kind, detected, record, count, certain = window.get(event["id"], (None, 0, None, None, None))
        got = (event["type"], event["detected_at"], event["entity_public_id"], event["evidence_count"])
        faults.same("pulse", f"{city.slug} {event['id']}", got, (kind, time_of(detected), record, count))
        got = tuple(event[name] for name in CERTAINTY)
        faults.same("pulse", f"{city.slug} {event['id']} certainty", got, certain)
    for item in release.site.json(f"pulse/{city.slug}/feed.json")["items"]:
        known = expected.get(item["id"])
        faults.same("feed", f"{city.slug} {item['id']}", item["date_published"], known and time_of(known[1]))
    guids = re.findall(r"<guid[^>]*>([^<]+)</guid>", release.site.text(f"pulse/{city.slug}/rss.xml"))
    faults.same("rss", f"{city.slug} events of the feed", [g for g in guids if g not in expected], [])


# Fewer ranked records than this, and an average would tell a record's own score (docs/methodology.md, Explorer).
MIN_AVERAGED = 3


def explorer(release, faults):
    groups = defaultdict(list)
    for e in release.records.values():
        claim = "claimed" if e.record.status in ("claimed", "verified") else "unclaimed"
        for kind in {s.body["asset_type"] for s in e.accepted}:
            key = (e.city.slug, e.record.industry or "", kind, claim)
            groups[key].append((e, [s for s in e.accepted if s.body["asset_type"] == kind]))
    rows = list(csv.DictReader(io.StringIO(release.site.text("exports/explorer.csv"))))
    faults.same("csv", "rows", len(rows), len(groups))
    for row in rows:
        key = (row["city"], row["industry"], row["asset_type"], row["claim_state"])
        group = groups.get(key, [])
        seen = [s for _, sightings in group for s in sightings]
        ranked = [e for e, _ in group if e.rank is not None]
        days = sorted(release.cities[row["city"]].date(s.observed) for s in seen)
        want = {
            "entities": len(group),
            "observations": len(seen),
            "observed_cells": len({s.cell for s in seen}),
            "assets": len({s.asset for s in seen}),
        }
        faults.same("csv", f"{key} counts", {name: int(row[name]) for name in want}, want)
        faults.same("csv", f"{key} days", (row["first_observed"], row["last_observed"]), (days[0], days[-1]) if days else None)
        average(faults, key, row["avg_pps"], [release.cohorts[key[0]][1][0][e.record.id][0] for e in ranked])
        average(faults, key, row["avg_percentile"], [release.cohorts[key[0]][1][0][e.record.id][1] for e in ranked])


def average(faults, key, published, values):
    if len(values) < MIN_AVERAGED:
        faults.same("csv", f"{key} average of too few", published, "")
    else:
        mean = method.rounded(math.fsum(sorted(values)) / len(values), 2)
        faults.same("csv", f"{key} average", published and float(published), mean)


def city_table(release, faults):
    for row in csv.DictReader(io.StringIO(release.site.text("exports/city-coverage.csv"))):
        city = release.cities[row["city"]]
        for name, value in metrics_of(release, city).items():
            faults.same("csv", f"{city.slug} {name}", float(row[name]), float(value))
        accepted = sum(len(e.accepted) for e in release.of_city(city.slug))
        faults.same("csv", f"{city.slug} observations", int(row["observations"]), accepted)


def tools(release, faults, mcp, public_id, e):
    check = mcp.call("check_physical_evidence", public_id=public_id, city=e.city.slug)
    same = lambda name, got, want: faults.same("mcp", f"{public_id} {name}", got, want)
    verdict = "physical_citations_found" if e.accepted else "no_accepted_citation"
    same("verdict", (check["verdict"], check["citation_count"]), (verdict, len(e.accepted)))
    quote(release, faults, "mcp", check["citation"], e)
    if e.accepted:
        cited = check["cited_observation"]
        row = next(s for s in e.accepted if s.id == cited["id"])
        same("cited row is the last one observed", row.observed, e.newest.observed)
        aside = (cited["counts_as_independent"], cited["set_aside"])
        same("cited row counts", aside, (row.independent, row.set_aside))
        same("cited row", (cited["observed_at"], cited["verif_state"]), (time_of(row.observed), row.state))
        same("cited day", cited["observed_on"], e.city.date(row.observed))
    presence = mcp.call("get_physical_presence", public_id=public_id, city=e.city.slug)
    score = presence["presence_score"]
    same("score", (score["pps"], score["cohort_percentile"]), (e.pps, e.percentile))
    same("gate_holds", score["gate_holds_without_any_one_observer"], e.gate_holds)
