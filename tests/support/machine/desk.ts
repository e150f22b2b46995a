/** The review desk in a machine, set up as docs/operations/desk.md has it, and a reviewer who is signed in through nginx. */
import { z } from "zod";
import { SoftPasskey } from "../desk/soft-passkey.ts";
import type { Machine } from "./machine.ts";
import { DESK, SITE, shown, trusting } from "./service.ts";

export const DESK_UNIT = "presence-desk.service";

const SET_UP = `
useradd --system --no-create-home --shell /usr/sbin/nologin presence-desk
install -m 0644 /opt/presence/deploy/tmpfiles.d/presence-desk.conf /etc/tmpfiles.d/presence-desk.conf
systemd-tmpfiles --create presence-desk.conf
systemctl daemon-reload
sed -i 's|^# DESK_URL = .*|DESK_URL = "https://${DESK}"|' /etc/presence/presence.toml
runuser -u presence -- presence desk view
systemctl enable --now presence-desk.service presence-desk-apply.path
sed 's|/live/${DESK}/|/live/${SITE}/|' /opt/presence/deploy/nginx/desk.conf > /etc/nginx/conf.d/presence-desk.conf
nginx -t -q && systemctl reload nginx
curl --silent --retry 60 --retry-delay 1 --retry-connrefused http://127.0.0.1:4322/healthz
`;

const Challenge = z.object({ challenge: z.string() });

/** The desk to ask as a lead, who is signed in. */
export function setUpDesk(machine: Machine) {
  machine.text("root", SET_UP);
  const curl = (path: string, headers: readonly string[], ...options: readonly string[]) =>
    machine.run(
      "curl",
      ...trusting(DESK),
      ...headers.flatMap((each) => ["--header", each]),
      ...options,
      `https://${DESK}${path}`,
    ).stdout;
  const origin = `Origin: https://${DESK}`;
  const begun = (path: string, body: object) =>
    Challenge.parse(JSON.parse(curl(path, [origin], "--json", JSON.stringify(body)))).challenge;

  const link = JSON.parse(machine.text("presence-desk", "presence desk enrol Anna --role lead --json")).link;
  const body = { link: new URL(link).hash.slice(1) };
  const passkey = new SoftPasskey(`https://${DESK}`);
  const created = { ...body, response: passkey.created(begun("/api/enrol/begin", body)) };
  curl("/api/enrol/finish", [origin], "--json", JSON.stringify(created));
  const signed = { response: passkey.signed(begun("/api/sign-in/begin", {})) };
  const answer = curl("/api/sign-in/finish", [origin], "--include", "--json", JSON.stringify(signed));
  const cookie = `Cookie: ${/^set-cookie: (__Host-desk=[^;]+);.*HttpOnly;.*Secure/im.exec(answer)?.[1]}`;
  const token = /name="desk-token" content="([^"]+)"/.exec(curl("/", [cookie]))?.[1];
  return {
    post: (path: string, body: object) =>
      JSON.parse(curl(path, [origin, cookie, `X-Desk-Token: ${token}`], "--json", JSON.stringify(body))),
    /** What its user finds in a folder, in the desk's own view of the files. */
    lists: (path: string) =>
      machine.run(
        ...["nsenter", "--target", shown(machine, DESK_UNIT, "MainPID"), "--mount"],
        ...["runuser", "-u", "presence-desk", "--", "ls", path],
      ).stdout,
  };
}
