/** A network of its own for a program and the machines that it boots: loopback, and an address of another kind, at which nobody else is. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

const OUTER = "192.0.2.10/24"; // of the networks for documentation
const SET_UP = `ip link set lo up && ip link add outer type veth peer name other && ip address add ${OUTER} dev outer && ip link set outer up && ip link set other up`;

/** Runs a program there, and returns what it printed. */
export async function inOwnNetwork(program: string, args: readonly string[]) {
  const words = ["--net", "--", "sh", "-c", `${SET_UP} && exec "$@"`, "sh", program, ...args];
  const child = spawn("unshare", words, { stdio: ["ignore", "pipe", "inherit"] });
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  return { stdout, code };
}
