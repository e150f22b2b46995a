"""The rows of the ledger as their disclosures give them, folded to records, assets and observations.

Written from docs/methodology.md and docs/verify-by-hand.md alone; shares no code with the project.
"""

import base64
import hashlib
import json
import math
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

VEHICLES_ONLY = {"telematics_api"}  # source types that can see nothing else

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def instant(text):
    """Seconds since 1970 of an ISO 8601 time."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def date_of_day(day):
    return (EPOCH + timedelta(days=day)).strftime("%Y-%m-%d")


def utc_date(seconds):
    return date_of_day(int(seconds // 86400))


def descendants(cell, resolution):
    """The H3 cells of a finer resolution within a hexagon (h3geo.org, bit layout): each digit from 0 to 6."""
    index = int(cell, 16)
    coarse = index >> 52 & 0xF
    cells = [index & ~(0xF << 52) | (resolution << 52)]
    for finer in range(coarse + 1, resolution + 1):
        shift = 3 * (15 - finer)
        cells = [c & ~(7 << shift) | (digit << shift) for c in cells for digit in range(7)]
    return [format(c, "x") for c in cells]


def eligible_list(details):
    """A city's eligible cells of resolution 8, sorted: the list that bitmaps of looks refer to."""
    return sorted(fine for cell in details["cells"] for fine in descendants(cell, 8))


def bitmap_cells(cells, text):
    bits = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return [cell for at, cell in enumerate(cells) if bits[at // 8] & (0x80 >> at % 8)]


@dataclass
class Look:
    """A row of looks: solar days from `first` to `last`."""

    id: int
    city: str
    span: str
    first: int
    last: int
    cells: list
    published: float = None


@dataclass
class City:
    id: int
    slug: str
    details: dict = None
    published: bool = True
    denominator_reviewed: bool = False
    registered: float = 0

    @property
    def offset_hours(self):
        # Half an hour rounds up: the program does the same with negative halves (-2.5 becomes -2).
        return int((self.details["lng"] / 15 + 0.5) // 1)

    def day(self, seconds):
        """The city's solar day, counted from 1970-01-01."""
        return int((seconds + self.offset_hours * 3600) // 86400)

    def date(self, seconds):
        return date_of_day(self.day(seconds))


@dataclass
class Record:
    id: int
    body: dict
    naming: dict = None  # the last live one about it
    reviewed: tuple = None  # industry and method, where a reviewer said so
    status: str = "unclaimed"
    flagged: bool = False
    settled: bool = False
    into: int = None
    tags: dict = field(default_factory=dict)
    published: float = None

    @property
    def public_id(self):
        return self.body["public_id"]

    @property
    def name(self):
        return self.naming["name"] if self.naming else self.public_id

    @property
    def website(self):
        return self.naming and self.naming["website"]

    @property
    def industry(self):
        return self.reviewed[0] if self.reviewed else self.naming and self.naming["industry"]

    @property
    def industry_method(self):
        if self.reviewed:
            return self.reviewed[1]
        return self.naming["industry_method"] if self.naming else "unclassified"

    @property
    def authoritative(self):
        return self.industry_method in ("declared", "reviewed")

    @property
    def industry_state(self):
        return "review" if self.industry_method == "name_rule" else self.industry_method

    @property
    def match_under_review(self):
        return bool(self.naming and self.naming["match_review"]) and not self.settled


@dataclass
class Asset:
    id: int
    body: dict
    retirements: list = field(default_factory=list)  # (row, retired)


@dataclass
class Sighting:
    id: int
    record: int  # as its row says, or the last row that moved it; before merges
    asset: int
    body: dict
    cell: str  # as published
    observed: float  # start of the city's solar day
    accepted: float
    published: float = None
    verdict: str = None
    observer: str = None  # after merges
    day: int = None
    state: str = None
    trust: float = None
    counts: bool = True  # as its row says, or the last row about it
    tag: str = None  # at `record`

    @property
    def source_is_blind(self):
        return self.body["source_type"] in VEHICLES_ONLY and self.body["asset_type"] != "vehicle_wrap"

    @property
    def set_aside(self):
        """Why it does not count as independent evidence: what public data show comes first."""
        if self.source_is_blind:
            return "source_cannot_see"
        return None if self.counts else "private_trace"

    @property
    def independent(self):
        return self.accepted_evidence and self.set_aside is None

    @property
    def source(self):
        return self.body["source"]

    @property
    def fine(self):
        return self.body["presence_kind"] != "mobile_presence"

    @property
    def accepted_evidence(self):
        return self.verdict != "rejected"


class Ledger:
    """All sealed rows of a release."""

    def __init__(self, lines):
        self.cities, self.records, self.assets, self.sightings = {}, {}, {}, {}
        self.seals = []
        self.decisions = []
        self.said = defaultdict(list)  # observation -> [(row, member, value)]: later rows about it
        self.merges = []  # (row, record, into)
        self.moved_on = {}  # record -> where the last row that took an observation from it moved that one
        self.looks = []
        self._manifests = {}
        rows = sorted(bodies(lines))
        self.last_sealed = max((b["last_observation_id"] for _, k, b in rows if k == "seal"), default=0)
        for row, kind, body in rows:
            if row <= self.last_sealed or kind == "seal":
                self._apply(row, kind, body)
        for row, body in self.seals:
            made = instant(body["created_at"])
            for id in range(body["first_observation_id"], body["last_observation_id"] + 1):
                self._published[id] = made
        for sighting in self.sightings.values():
            sighting.published = self._published[sighting.id]
        for record in self.records.values():
            record.published = self._published[record.id]
        for look in self.looks:
            look.published = self._published[look.id]

    _published = None

    def published(self, row):
        return self._published[row]

    def _apply(self, row, kind, body):
        if self._published is None:
            self._published = {}
        handler = getattr(self, "_" + kind, None)
        if handler is not None:
            handler(row, body)

    def _city(self, row, body):
        city = self.cities.get(body["city"])
        if body["step"] == "register":
            city = city or City(row, body["city"])
            city.details, city.denominator_reviewed = body["details"], False
            cells = eligible_list(body["details"])
            self._manifests[hashlib.sha256("\n".join(cells).encode()).hexdigest()] = cells
            self.cities[body["city"]] = city
        elif city is not None:
            if body["step"] == "review":
                city.denominator_reviewed = True
            if body["step"] in ("publish", "unpublish"):
                city.published = body["step"] == "publish"

    def _record(self, row, body):
        self.records[row] = Record(row, body)

    def _naming(self, _row, body):
        if body["record"] in self.records:
            self.records[body["record"]].naming = body

    def _asset(self, row, body):
        self.assets[row] = Asset(row, body)

    def _observation(self, row, body):
        observed, accepted = instant(body["observed_at"]), instant(body["accepted_at"])
        self.sightings[row] = Sighting(row, body["record"], body["asset"], body, body["h3_cell"], observed, accepted)
        self.sightings[row].counts = body["counts"]
        self.sightings[row].tag = body["observer_tag"]

    def _reassign(self, row, body):
        sighting = self.sightings.get(body["target"])
        if sighting is not None:
            self.moved_on[sighting.record] = body["record"]
            self.said[sighting.id].append((row, "place", (body["record"], body["asset"])))
            sighting.record, sighting.asset, sighting.tag = body["record"], body["asset"], body["observer_tag"]

    def _recount(self, row, body):
        if body["target"] in self.sightings:
            self.sightings[body["target"]].counts = body["counts"]
            self.said[body["target"]].append((row, "counts", body["counts"]))

    def _look(self, row, body):
        first = int(instant(body["start"] + "T00:00:00Z") // 86400)
        start = EPOCH + timedelta(days=first)
        days = {"day": 1, "week": 7, "month": ((start.replace(day=28) + timedelta(days=4)).replace(day=1) - start).days}
        cells = bitmap_cells(self._manifests[body["manifest"]], body["cells"])
        self.looks.append(Look(row, body["city"], body["span"], first, first + days[body["span"]] - 1, cells))

    def _seal(self, row, body):
        self.seals.append((row, body))

    def _status(self, _row, body):
        if body["record"] in self.records:
            self.records[body["record"]].status = body["status"]

    def _review(self, row, body):
        decision, target = body["decision"], body["target"]
        if decision in ("verify", "reject") and target in self.sightings:
            self.sightings[target].verdict = "verified" if decision == "verify" else "rejected"
            self.said[target].append((row, "rejected", decision == "reject"))
        if decision == "withdraw":
            self.records.pop(target, None)
            self.assets.pop(target, None)
        if decision in ("retire", "unretire") and target in self.assets:
            self.assets[target].retirements.append((row, decision == "retire"))
        record = self.records.get(target)
        if record is None:
            return
        if decision in ("flag", "unflag"):
            record.flagged = decision == "flag"
        if decision == "classify":
            record.reviewed = body["industry"], "reviewed" if body["industry"] else "unclassified"
        if decision == "settle_match":
            record.settled = True
        if decision == "unmerge":
            record.into = None
        if decision == "merge" and body["into"] not in (None, target):
            stays = self.records.get(body["into"])
            if stays is not None and record in self._chain(stays):
                stays.into = None  # the later decision wins
            record.into, record.tags = body["into"], body["tags"] or {}
            self.merges.append((row, record.id, body["into"]))

    def _chain(self, record):
        chain = [record]
        while record is not None and record.into is not None:
            record = self.records.get(record.into)
            chain.append(record)
        return chain

    def root(self, record):
        return self._chain(record)[-1]

    def root_at(self, record, time):
        """The record that stood for one by what was published at a time."""
        into = {}

        def chain(of):
            found = [of]
            while found[-1] in into:
                found.append(into[found[-1]])
            return found

        for row, merged, stays in self.merges:
            if self._published[row] <= time:
                if merged in chain(stays):
                    into.pop(stays, None)
                into[merged] = stays
        return chain(record)[-1]

    def spells(self, s):
        """[((record, asset), from, until, moved)]: when a sighting counted for what, by what was published then."""
        if s.source_is_blind:
            return []
        said = [(max(self._published[row], s.published), name, value) for row, name, value in self.said[s.id]]
        of_merges = [self._published[row] for row, *_ in self.merges if self._published[row] > s.published]
        written = (s.body["record"], s.body["asset"])
        state, found = {"counts": s.body["counts"], "rejected": False, "place": written}, []
        for time in sorted({s.published, *of_merges, *(at for at, _, _ in said)}):
            for at, name, value in said:
                if at == time:
                    state[name] = value
            record, asset = state["place"]
            counts = state["counts"] and not state["rejected"]
            where = (self.root_at(record, time), asset) if counts else None
            if found and found[-1][2] is None:
                if found[-1][0] == where:
                    continue
                found[-1][2] = time
            if where is not None:
                found.append([where, time, None, any(before[0] != where for before in found)])
        return [(where, start, math.inf if end is None else end, moved) for where, start, end, moved in found]

    def stand_ins(self, listed):
        """{record that is not listed: the listed one that it was merged into, or that what it had was moved to}"""
        found = {}
        for id in {*self.moved_on, *(record for _, record, _ in self.merges)} - set(listed):
            passed, end = set(), self.records.get(id)
            while end is not None and end.id not in passed:
                end = self.root(end)
                if end is None or end.id in listed:
                    break
                passed.add(end.id)
                end = self.records.get(self.moved_on.get(end.id))
            if end is not None and end.id in listed:
                found[id] = end.id
        return found

    def listed(self, as_of):
        """Records of published cities with their sightings up to `as_of`, in row order, merged ones at their root."""
        found = defaultdict(list)
        for sighting in self.sightings.values():
            record = self.records.get(sighting.record)
            root = record and self.root(record)
            city = root and self.cities[root.body["city"]]
            if not city or not city.published or sighting.asset not in self.assets or sighting.observed > as_of:
                continue
            sighting.day = city.day(sighting.observed)
            sighting.observer = self._principal(sighting, record)
            found[root.id].append(sighting)
        return {row: sorted(seen, key=lambda s: s.id) for row, seen in found.items()}


    def _principal(self, sighting, record):
        """The tag at the end of the merges."""
        tag = sighting.tag
        while record is not None:
            if record.into is not None:
                tag = record.tags.get(tag, tag)
            record = self.records.get(record.into)
        return tag


def bodies(lines):
    """(row, kind, public body) of each disclosure; docs/verify-by-hand.md has the format."""
    for line in lines:
        entry = json.loads(line)
        text = base64.urlsafe_b64decode(entry["d"] + "=" * (-len(entry["d"]) % 4))
        _salt, name, value = json.loads(text)
        if name == "body":
            yield entry["i"], kind_of(value), value


KINDS = (
    ("seal", "merkle_root"),
    ("observation", "h3_cell"),
    ("review", "decision"),
    ("revisit", "manifest_sha256"),
    ("source", "source"),
    ("recount", "counts"),
    ("tally", "vouched"),
    ("city", "step"),
    ("naming", "match_review"),
    ("reassign", "observer_tag"),
    ("asset", "is_mobile"),
    ("identity", "organizations"),
    ("status", "status"),
    ("redaction", "rows"),
    ("clock", "from"),
    ("look", "span"),
    ("record", "public_id"),
)


def kind_of(body):
    return next(kind for kind, member in KINDS if member in body)
