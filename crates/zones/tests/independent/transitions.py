"""Prints the changes of all zones between two years as JSON, as Python's `zoneinfo` finds them.

Arguments: the first year, and the year after the last. The data are those of PYTHONTZPATH, or of the package `tzdata`.

Each zone has its first offset and its changes: instant, new offset, and the instants at which the clock shows the time in
the middle of the gap or of the repeated hour (for `fold` 0 and 1). All are in seconds.
"""

import json
import sys
import zoneinfo
from datetime import datetime, timedelta, timezone

START, END = (int(datetime(int(year), 1, 1, tzinfo=timezone.utc).timestamp()) for year in sys.argv[1:3])
STEP = 43_200
EPOCH = datetime(1970, 1, 1)


def offset(zone, at):
    return int(datetime.fromtimestamp(at, zone).utcoffset().total_seconds())


def changes(zone):
    before = offset(zone, START)
    for low in range(START, END, STEP):
        high = min(low + STEP, END)
        after = offset(zone, high)
        if after == before:
            continue
        while low + 1 < high:
            middle = (low + high) // 2
            if offset(zone, middle) == before:
                low = middle
            else:
                high = middle
        local = EPOCH + timedelta(seconds=high + (before + after) // 2)
        shown = [int(local.replace(tzinfo=zone, fold=fold).timestamp()) for fold in (0, 1)]
        yield [high, after, *shown]
        before = after


zones = {name: zoneinfo.ZoneInfo(name) for name in sorted(zoneinfo.available_timezones() - {"Factory", "localtime"})}
print(json.dumps({name: {"first": offset(zone, START), "changes": list(changes(zone))} for name, zone in zones.items()}))
