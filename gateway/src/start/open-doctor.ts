/** Composes the command `doctor`: reads what it examines, tries whom the gateway calls, and prints the findings. */
import { channelTypes } from "@tollgate/contract/channel-types.ts";
import { ConfigError, type Settings } from "./config.ts";
import { doctorReport, type Examined } from "./doctor/doctor-report.ts";
import { idleVariables } from "./doctor/idle-variables.ts";
import { createEgress } from "./egress/egress.ts";
import { unreachableHost, unreachableUpstream } from "./egress/reach-host.ts";
import { createSealer } from "./secrets/seal.ts";
import { knownMasterKey, missingKeyText } from "./site-master-key.ts";
import { StorageUnavailable } from "./storage/database.ts";
import { type DatabaseState, databasePlace, readDatabaseState, type Upstream } from "./storage/database-state.ts";
import { diskSpaceOf } from "./storage/disk-space.ts";

/** More hosts than sites have; each takes five seconds at most, all at once. */
const hostsMax = 100;

interface DoctorDeps {
  settings: Settings;
  environment: NodeJS.ProcessEnv;
  print(line: string): void;
}

/** Returns the exit code. */
export async function doctorCommand({ settings, environment, print }: DoctorDeps): Promise<number> {
  const { dataDir, databaseUrl, aliasesUsed, foreignNotes } = settings;
  const state = await readDatabaseState(settings).catch((error: unknown) => {
    if (error instanceof StorageUnavailable) return { unreadable: error.message };
    throw error;
  });
  const isRead = !("unreadable" in state);
  const isNew = isRead && state.schema === undefined;
  const { lines, exitCode } = doctorReport({
    state,
    place: databasePlace(settings),
    freeBytes: databaseUrl || isNew ? undefined : (await diskSpaceOf(dataDir)).free,
    ...examineKey(settings, isRead ? state : { keyId: undefined, sealedKeys: [] }),
    notes: [...aliasesUsed, ...foreignNotes, ...idleVariables(environment, isNew)],
    warnings: [...(await serverWarnings(settings)), ...(isRead ? await upstreamWarnings(settings, state) : [])],
    now: Date.now(),
  });
  print(`Database: ${databasePlace(settings)}`);
  for (const line of lines) print(line);
  return exitCode;
}

/** The key is neither made nor needed to look. */
function examineKey(
  settings: Settings,
  state: Pick<DatabaseState, "keyId" | "sealedKeys">,
): Pick<Examined, "seal" | "keyProblem"> {
  try {
    const key = knownMasterKey(settings);
    if (key) return { seal: createSealer(key) };
    return { keyProblem: missingKeyText(settings, state) };
  } catch (error) {
    if (error instanceof ConfigError) return { keyProblem: error.message };
    throw error;
  }
}

/** Of the operator's own servers. The gateway starts without them, so that the text says what it lacks until they answer. */
async function serverWarnings({ redisUrl, otel }: Settings): Promise<string[]> {
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
      const reason = url && (await unreachableHost(url));
      return reason === undefined
        ? []
        : [
            `${name} at ${url?.host} does not answer (${reason}): until it does, ${lack}. Start it, or correct ${variable}`,
          ];
    }),
  );
  return warnings.flat();
}

async function upstreamWarnings(settings: Settings, { upstreams }: DatabaseState): Promise<string[]> {
  const egress = createEgress(settings.upstreamPrivateHosts);
  const hosts = [...new Set(upstreams.flatMap((upstream) => originOf(upstream) ?? []))].slice(0, hostsMax);
  const warnings = await Promise.all(
    hosts.map(async (host) => {
      const reason = await unreachableUpstream(egress, new URL(host));
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

function originOf({ type, base_url }: Upstream): string | undefined {
  const address = base_url || (channelTypes.find(({ id }) => id === type)?.defaultBaseUrl ?? "");
  return URL.canParse(address) ? new URL(address).origin : undefined;
}
