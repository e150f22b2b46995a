"""Recomputes what a release says from its public rows, and compares every surface with it.

    python3 tests/python/recompute FOLDER-OR-URL [--mcp URL [--as-proxy]]

Exit code 0: everything agrees. 1: what differs is listed. Needs Python 3.9 or newer and nothing else.
"""

import argparse
import sys

from published_site import McpClient, Site
from surfaces import Release, compare

MAX_SHOWN = 40


def main():
    parser = argparse.ArgumentParser(description="recompute a release from its disclosed rows")
    parser.add_argument("site", help="folder or address of a published release")
    parser.add_argument("--mcp", help="address of a running MCP server over the same release")
    parser.add_argument("--as-proxy", action="store_true", help="the server trusts a proxy: one client address a call")
    arguments = parser.parse_args()
    release = Release(Site(arguments.site))
    faults = compare(release, McpClient(arguments.mcp, arguments.as_proxy) if arguments.mcp else None)
    for surface, count in sorted(faults.compared.items()):
        print(f"{count:>9,}  {surface}")
    for fault in faults.faults[:MAX_SHOWN]:
        print(f"FAULT  {fault}")
    print(f"{sum(faults.compared.values()):,} values compared, {len(faults.faults):,} differ")
    return 1 if faults.faults else 0


if __name__ == "__main__":
    sys.exit(main())
