/**
 * The run of a call: its name in the database, whether it is stopped, and what its log row says of
 * it.
 */
import { createHmac, randomBytes } from "node:crypto";
import type { Sealer } from "../../secrets/seal.ts";
import type { Database } from "../../storage/database.ts";
import { makeSingleFlight } from "../../storage/single-flight.ts";
import type { CallerIdentity } from "../admission/caller-parts.ts";
import type { RequestedRun } from "./requested-run.ts";
import type { SentRun } from "./run-recognisers.ts";
import type { ToolRuns } from "./run-tools.ts";

export interface CallRun {
  /** `hashRun`: the run of this owner alone. */
  run: string;
  /** `RunFacts` as JSON. */
  facts: string;
}

/** `RunFacts` go with the log row of a call, for the sums of its run. */
export interface RunFacts {
  agent?: string;
  tools?: ToolRuns;
}

export interface CallRuns {
  /** Undefined for a call that names no run. */
  of(requested: RequestedRun | undefined, caller: RunOwner): CallRun | undefined;
  isStopped(run: string): boolean;
}

/** 132 bits: no two runs of a site meet. */
const hashLength = 22;

type RunOwner = Pick<CallerIdentity, "userId" | "teamId" | "tokenId">;

/**
 * Two keys of one account share a run, unless another wallet pays for one. A key without an account
 * has runs of its own.
 */
const nameOwner = ({ userId, tokenId, teamId }: RunOwner): string =>
  `${userId > 0 ? `user ${userId}` : `key ${tokenId}`}${teamId > 0 ? ` team ${teamId}` : ""}`;

/**
 * A client's id may name a person, and it means nothing without its owner: what is stored is
 * neither readable nor of others.
 */
export const hashRun = (secret: Uint8Array, owner: string, { recogniser, id }: SentRun): string =>
  createHmac("sha256", secret)
    .update(JSON.stringify([owner, recogniser, id]))
    .digest("base64url")
    .slice(0, hashLength);

/** Distinct tools of one run; a client could make up any number. */
const toolsPerRunMax = 100;
/** Runs whose tools this node remembers. */
const rememberedMax = 5_000;
const otherTools = "(other)";

export function createToolNames(namesMax = toolsPerRunMax, runsMax = rememberedMax) {
  const byRun = new Map<string, Set<string>>();
  return (run: string, tools: ToolRuns): ToolRuns => {
    const known = byRun.get(run) ?? new Set<string>();
    byRun.delete(run);
    byRun.set(run, known);
    if (byRun.size > runsMax) byRun.delete(byRun.keys().next().value ?? run);
    const named = new Map<string, [number, number]>();
    for (const [name, [runs, failures]] of Object.entries(tools)) {
      if (known.size < namesMax) known.add(name);
      const shown = known.has(name) ? name : otherTools;
      const [before, failedBefore] = named.get(shown) ?? [0, 0];
      named.set(shown, [before + runs, failedBefore + failures]);
    }
    return Object.fromEntries(named);
  };
}

export async function openCallRuns({
  db,
  seal,
}: {
  db: Pick<Database, "sql" | "read" | "write" | "onChange">;
  seal: Sealer;
}): Promise<CallRuns> {
  const secret = await readRunSecret(db, seal);
  const nameTools = createToolNames();
  let stopped: ReadonlySet<string> = new Set();
  const refresh = makeSingleFlight(async () => {
    const rows = await db.read(
      db.sql.selectFrom("runs").select("run").where("stopped_at", "is not", null),
    );
    stopped = new Set(rows.map(({ run }) => run));
  });
  db.onChange("runs", refresh);
  await refresh();
  return {
    of(requested, caller) {
      if (!requested) return undefined;
      const run = hashRun(secret, nameOwner(caller), requested);
      const { agent, tools } = requested;
      const facts: RunFacts = {
        ...(agent !== "" && { agent }),
        ...(tools && { tools: nameTools(run, tools) }),
      };
      return { run, facts: JSON.stringify(facts) };
    },
    isStopped: (run) => stopped.has(run),
  };
}

const secretBytes = 32;
const secretPlace = 1;
const secretContext = `run_secret/secret_sealed/${secretPlace}` as const;

/**
 * Made by the first node that starts; a rotation of the master key seals it anew, and the names of
 * runs stay.
 */
async function readRunSecret(
  { sql, read, write }: Pick<Database, "sql" | "read" | "write">,
  seal: Sealer,
): Promise<Buffer> {
  const made = seal.seal("run-secret", secretContext, randomBytes(secretBytes).toString("base64"));
  const stored = () => read(sql.selectFrom("run_secret").select("secret_sealed"));
  let [row] = await stored();
  if (!row) {
    const insert = sql.insertInto("run_secret").values({ place: secretPlace, secret_sealed: made });
    await write([{ query: insert.onConflict((conflict) => conflict.doNothing()) }]);
    [row] = await stored();
  }
  return Buffer.from(seal.open("run-secret", secretContext, row?.secret_sealed ?? ""), "base64");
}
