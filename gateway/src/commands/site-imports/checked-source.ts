/**
 * The servers that an import from the console may read: those on the public internet, and the
 * private ones that the operator names.
 */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { isPublicAddress, type PrivateHosts } from "../../egress/address-policy.ts";
import { resolvePublic } from "../../egress/egress.ts";
import { readSourceAddress } from "../import/sources/source-address.ts";

export interface CheckedSource {
  /** Host, port and database. */
  label: string;
  /** The address to connect to: a name that is resolved again might lead elsewhere. */
  checkedAddress: string;
}

const postgresPort = "5432";

/** The answer is a text that says why the address must not be read. */
export async function checkSource(
  address: string,
  privateHosts: PrivateHosts,
): Promise<CheckedSource | string> {
  const server = buildServer(address);
  if (!server)
    return "must be the address of a PostgreSQL or MySQL server; a SQLite database is uploaded as a file";
  const { host, port, database } = server;
  const name = `${host.toLowerCase()}:${port}`;
  const label = `${name}/${database}`;
  try {
    if (privateHosts.has(name)) return { label, checkedAddress: (await lookup(host)).address };
    if (isIP(host) === 0) return { label, checkedAddress: await resolvePublic(host) };
    if (isPublicAddress(host)) return { label, checkedAddress: host };
  } catch {
    return `${host} has no public address; to allow a private one, add ${name} to IMPORT_PRIVATE_HOSTS`;
  }
  return `is a private address; to allow it, add ${name} to IMPORT_PRIVATE_HOSTS`;
}

function buildServer(text: string): { host: string; port: string; database: string } | undefined {
  const address = readSourceAddress(text);
  if (address?.kind === "postgres") {
    const { hostname, port, pathname } = new URL(address.url);
    return findNamedServer(hostname, port || postgresPort, pathname.slice(1));
  }
  if (address?.kind !== "mysql" || address.server.socketPath !== undefined) return undefined;
  const { host, port, database } = address.server;
  return findNamedServer(host, String(port), database);
}

/** IPv6 addresses stand in brackets in a URL. */
function findNamedServer(name: string, port: string, database: string) {
  const host = name.replace(/^\[|\]$/g, "");
  return host === "" || database === "" ? undefined : { host, port, database };
}
