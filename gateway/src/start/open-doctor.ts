/**
 * Composes the command `doctor`: reads what it examines, tries whom the gateway calls, and prints
 * the findings.
 */
import { channelTypes } from "@tollgate/contract/catalogue/channel-types.ts";
import { buildDoctorReport, type Examined } from "../commands/doctor/doctor-report.ts";
import { listIdleVariables } from "../commands/doctor/idle-variables.ts";
import type { Settings } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { createEgress } from "../egress/egress.ts";
import { findUnreachableHost, findUnreachableUpstream } from "../egress/reach-host.ts";
import { createSealer } from "../secrets/seal.ts";
import { StorageUnavailable } from "../storage/database.ts";
import {
  type DatabaseState,
  readDatabasePlace,
  readDatabaseState,
  type Upstream,
} from "../storage/database-state.ts";
import { readDiskSpace } from "../storage/disk-space.ts";
import { findKnownMasterKey, findMissingKeyText } from "./site-master-key.ts";

/** More hosts than sites have; each takes five seconds at most, all at once. */
const hostsMax = 100;

interface DoctorDeps {
  settings: Settings;
  environment: NodeJS.ProcessEnv;
  print(line: string): void;
}

/** Returns the exit code. */
export async function runDoctorCommand({
  settings,
  environment,
  print,
}: DoctorDeps): Promise<number> {
  const { dataDir, databaseUrl, aliasesUsed, foreignNotes } = settings;
  const state = await readDatabaseState(settings).catch((error: unknown) => {
    if (error instanceof StorageUnavailable) return { unreadable: error.message };
    throw error;
  });
  const isRead = !("unreadable" in state);
  const isNew = isRead && state.schema === undefined;
  const { lines, exitCode } = buildDoctorReport({
    state,
    place: readDatabasePlace(settings),
    freeBytes: databaseUrl || isNew ? undefined : (await readDiskSpace(dataDir)).free,
    ...examineKey(settings, isRead ? state : { keyId: undefined, sealedKeys: [] }),
    notes: [...aliasesUsed, ...foreignNotes, ...listIdleVariables(environment, isNew)],
    warnings: [
      ...(await listServerWarnings(settings)),
      ...(isRead ? await listUpstreamWarnings(settings, state) : []),
    ],
    now: Date.now(),
  });
  print(`Database: ${readDatabasePlace(settings)}`);
  for (const line of lines) print(line);
  return exitCode;
}

/** The key is neither made nor needed to look. */
function examineKey(
  settings: Settings,
  state: Pick<DatabaseState, "keyId" | "sealedKeys">,
): Pick<Examined, "seal" | "keyProblem"> {
  try {
    const key = findKnownMasterKey(settings);
    if (key) return { seal: createSealer(key) };
    return { keyProblem: findMissingKeyText(settings, state) };
  } catch (error) {
    if (error instanceof ConfigError) return { keyProblem: error.message };
    throw error;
  }
}

/**
 * `listServerWarnings` is about the operator's own servers. The gateway starts without them, so
 * that the text says what it lacks until they answer.
 */
async function listServerWarnings({ redisUrl, otel }: Settings): Promise<string[]> {
  const servers = [
    { name: "Redis", url: redisUrl, lack: "each node counts limits alone", variable: "REDIS_URL" },
    {
      name: "the collector",
      url: otel && new URL(otel.endpoint),
      lack: "spans of calls are lost",
      variable: "OTEL_EXPORTER_OTLP_ENDPOINT",
    },
  ];
  const warnings = await Promise.all(
    servers.map(async ({ name, url, lack, variable }) => {
      const reason = url && (await findUnreachableHost(url));
      return reason === undefined
        ? []
        : [
            `${name} at ${url?.host} does not answer (${reason}): until it does, ${lack}. Start it, or correct ${variable}`,
          ];
    }),
  );
  return warnings.flat();
}

async function listUpstreamWarnings(
  settings: Settings,
  { upstreams }: DatabaseState,
): Promise<string[]> {
  const egress = createEgress(settings.upstreamPrivateHosts);
  const hosts = [...new Set(upstreams.flatMap((upstream) => findOrigin(upstream) ?? []))].slice(
    0,
    hostsMax,
  );
  const warnings = await Promise.all(
    hosts.map(async (host) => {
      const reason = await findUnreachableUpstream(egress, new URL(host));
      return reason === undefined
        ? []
        : [
            `${host} of enabled channels cannot be called (${reason}): correct the address in the channel, or look at name server and firewall`,
          ];
    }),
  );
  await egress.close();
  return warnings.flat();
}

function findOrigin({ type, base_url }: Upstream): string | undefined {
  const address = base_url || (channelTypes.find(({ id }) => id === type)?.defaultBaseUrl ?? "");
  return URL.canParse(address) ? new URL(address).origin : undefined;
}
