// kill -9 at any moment while many streams, short calls, tools, videos, batches, redemptions and
// transfers run, by an account and by a team, and the state after the next start.
import { setTimeout as pause } from "node:timers/promises";
import type { ProgressRecord } from "@tollgate/gateway/money/holds/running-attempt.ts";
import { findIdFromRequestId } from "@tollgate/gateway/storage/time-ids.ts";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import { chatBody } from "@tollgate/tests/harness/test-gateway.ts";
import { randomFrom } from "@tollgate/tests/support/seeded-random.ts";
import { findBookErrors } from "./check-books.ts";
import { beginTasks, callToolOnce, endTasks, wrongTaskCharges } from "./crash-tasks.ts";
import { addCrashTeam, type CrashTeam, crashedRun } from "./crash-team.ts";
import { type RunGateway, type RunMember, startRunGateway } from "./run-gateway.ts";
import { addTaskProviders, startToolServer } from "./task-providers.ts";
import type { RunStore } from "./with-store.ts";

export interface CrashOptions extends RunStore {
  cycles: number;
  seed: number;
  streams?: number;
  stop?: AbortSignal;
  /** Called after each cycle. */
  onCycle?: (found: CrashFigures) => void;
}

export interface CrashFigures {
  cycles: number;
  /** Streams that were open when the gateway was killed. */
  cut: number;
  /** Cut streams with a recorded progress, which were charged exactly that. */
  recorded: number;
  /** Cut streams that the team pays for. */
  byTeam: number;
  /** Quota that moved into the team, once each. */
  transfers: number;
  /**
   * Responses that reached their client completely, and how many of them the kill left uncharged.
   */
  complete: number;
  completeUncharged: number;
  redeemed: number;
  /** Videos and batches that their client knows, charged once each. */
  tasks: number;
  bootMs: number[];
  /** `clearMs` come from the start of the new process until no hold was open. */
  clearMs: number[];
  problems: string[];
}

const killWithinMs = 5_000;
/**
 * Longer than a lease, so that the leases of the killed process have expired when the next one
 * starts, and than a video or batch waits whose provider may not have been asked for it.
 */
const afterLeaseMs = 40 * 60_000;
const shortCallers = 5;
const toolCallers = 2;
const codesPerCycle = 10;
const codeQuota = 700;
/** PostgreSQL reserves a node number for a minute, and there are sixteen of them. */
const cycleMsMin = 4_800;
const opening = 1_000_000_000_000;
const promptRate = 1;
const answerRate = 4;

export const bootMsMax = 5_000;

interface CrashedHold {
  id: number;
  wallet_id: number;
  progress: string | null;
  /** `{}` is a pool that calls share. */
  snapshot: string;
  /** Of a video or batch, which lives on. */
  is_task: number | boolean;
}

export async function runCrashes(options: CrashOptions): Promise<CrashFigures> {
  const { cycles, seed, streams = 100, stop, onCycle } = options;
  const random = randomFrom(seed);
  const figures: CrashFigures = {
    cycles: 0,
    cut: 0,
    recorded: 0,
    byTeam: 0,
    transfers: 0,
    complete: 0,
    completeUncharged: 0,
    redeemed: 0,
    tasks: 0,
    bootMs: [],
    clearMs: [],
    problems: [],
  };
  const toolServer = await startToolServer();
  const env = { MCP_PRIVATE_HOSTS: new URL(toolServer.url).host };
  const gateway = await startRunGateway({ ...options, env }).catch(async (cause: unknown) => {
    await toolServer.close();
    throw cause;
  });
  try {
    await addTaskProviders(gateway, toolServer.url);
    await gateway.world.given.channel({ key: "sim-pace-250+tokens-5000", models: "long" });
    await gateway.world.given.channel({ key: "sim-pace-5+tokens-20", models: "short" });
    const member = await gateway.addMember();
    await gateway.root("POST", "/api/topup", { user_id: member.id, quota: opening });
    const { id: tokenId, key } = await gateway.addToken(member.access);
    await gateway.addBudget("user", member.id, "lifetime");
    await gateway.addBudget("token", tokenId, "day");
    const team = await addCrashTeam(gateway, member);
    while (figures.cycles < cycles && figures.problems.length === 0 && !stop?.aborted) {
      const startedAt = performance.now();
      const killAfterMs = random() * killWithinMs;
      const problem = await cycle(gateway, { member, key, team }, streams, killAfterMs, figures);
      figures.problems.push(
        ...problem.map((one) => `cycle ${figures.cycles + 1} of seed ${seed}: ${one}`),
      );
      figures.cycles += 1;
      onCycle?.(figures);
      if (options.store === "postgres")
        await pause(Math.max(0, cycleMsMin - (performance.now() - startedAt)));
    }
    return figures;
  } finally {
    await gateway.close();
    await toolServer.close();
  }
}

async function cycle(
  gateway: RunGateway,
  { member, key, team }: { member: RunMember; key: string; team: CrashTeam },
  streams: number,
  killAfterMs: number,
  figures: CrashFigures,
): Promise<string[]> {
  const problem: string[] = [];
  const codes = await gateway.root<string[]>("POST", "/api/redemption/", {
    name: "crash",
    quota: codeQuota,
    count: codesPerCycle,
  });
  const redeem = (code: string) =>
    gateway.askOnce(member.access, "/api/user/topup", { key: code }, code.slice(0, 16));

  /** The calls that each caller made one after the other and got complete responses of. */
  const wholeOf: number[][] = [];
  let isOver = false;
  // Each second call is one of the account, the others are the team's.
  const keyOf = (n: number) =>
    n % 2 === 0 ? key : (team.keys[Math.floor(n / 2) % team.keys.length] ?? key);
  const long = Array.from({ length: streams }, (_, n) => readToEnd(gateway, keyOf(n), "long"));
  const keepCalling = async (call: () => Promise<number | undefined>): Promise<void> => {
    const whole: number[] = [];
    wholeOf.push(whole);
    while (!isOver) {
      const id = await call();
      if (id !== undefined) whole.push(id);
    }
  };
  const short = Array.from({ length: shortCallers }, (_, n) =>
    keepCalling(() => readToEnd(gateway, keyOf(n), "short")),
  );
  const tools = Array.from({ length: toolCallers }, () =>
    keepCalling(() => callToolOnce(gateway, key)),
  );
  const tasks = beginTasks(gateway, key, killAfterMs);
  const transfers = team.beginTransfers(killAfterMs);
  const redemptions = codes.map(async (code, n) => {
    await pause((killAfterMs * n) / codes.length);
    return await redeem(code).catch(() => undefined);
  });

  await pause(killAfterMs);
  await gateway.kill();
  isOver = true;
  await Promise.all([...long, ...short, ...tools, ...redemptions]);
  const told = await tasks;
  const sentTransfers = await transfers;

  if (gateway.store === "postgres") await untilServerIsQuiet(gateway);
  const holds = await gateway.rows<CrashedHold>(
    `select id, wallet_id, progress, snapshot, (id in (select id from video_tasks) or id in (select id from provider_batches)) as is_task
     from reservations order by id`,
  );
  const before = await ledgerOf(gateway);
  const cut = holds.filter(({ snapshot, is_task }) => snapshot !== "{}" && !is_task);
  const isOfTeam = (hold: CrashedHold) => Number(hold.wallet_id) === team.walletId;
  figures.cut += cut.length;
  figures.byTeam += cut.filter(isOfTeam).length;

  await gateway.moveClock(afterLeaseMs);
  const startedAt = performance.now();
  const bootMs = await gateway.boot();
  figures.bootMs.push(bootMs);
  await endTasks(gateway, key, told);
  await eventually(
    async () => {
      const [row] = await gateway.rows<{ open: number }>(
        "select count(*) as open from reservations",
      );
      if (Number(row?.open) > 0) throw new Error(`${row?.open} holds are still open`);
    },
    { timeoutMs: 60_000 },
  );
  figures.clearMs.push(performance.now() - startedAt);

  const whole = wholeOf.flat();
  const toldIds = told.map(({ id }) => id);
  const charged = await chargesOf(gateway, [
    ...holds.map(({ id }) => Number(id)),
    ...whole,
    ...toldIds,
  ]);
  let added = 0;
  for (const { id, progress, is_task } of holds) {
    added += charged.get(Number(id)) ?? 0;
    if (is_task) continue;
    const expected = progress === null ? 0 : dueFor(progress);
    const found = charged.get(Number(id)) ?? 0;
    if (found !== expected)
      problem.push(`call ${id} was charged ${found}, recorded was ${expected}`);
    if (progress !== null) figures.recorded += 1;
  }
  const openTasks = holds.flatMap(({ id, is_task }) => (is_task ? [Number(id)] : []));
  problem.push(...wrongTaskCharges(told, openTasks, charged));
  figures.tasks += told.length;
  const after = await ledgerOf(gateway);
  if (after !== before + added)
    problem.push(`the ledger had ${before}, ${added} were added, and it has ${after}`);
  figures.complete += whole.length;
  const hasPool = holds.some(({ snapshot }) => snapshot === "{}");
  const open = new Set(holds.map(({ id }) => Number(id)));
  for (const id of whole) {
    if ((charged.get(id) ?? 0) > 0) continue;
    figures.completeUncharged += 1;
    // The database must at least know the hold, or the pool that covered it: no call begins without
    // either.
    if (!open.has(id) && !hasPool) problem.push(`call ${id} was answered and left nothing`);
  }
  // A kill may lose only the ends of calls that were being gathered or stored at its moment.
  for (const ids of wholeOf) {
    const lastCharged = ids.findLastIndex((id) => (charged.get(id) ?? 0) > 0);
    for (const id of ids.slice(0, Math.max(0, lastCharged)))
      if ((charged.get(id) ?? 0) === 0)
        problem.push(`call ${id} was not charged, but a later one of its caller was`);
  }

  for (const code of codes) {
    const { body, text } = await redeem(code);
    if (body?.success !== true) problem.push(`a code was not paid: ${text}`);
    else figures.redeemed += 1;
  }
  problem.push(...(await team.endTransfers(sentTransfers)));
  figures.transfers += sentTransfers.length;
  problem.push(...(await paidByOthers(gateway, holds)));
  problem.push(...(await team.findErrors()));
  problem.push(...(await findBookErrors(gateway)));
  return problem;
}

/** A call is paid by the wallet that held for it, or owed by that wallet. */
async function paidByOthers(gateway: RunGateway, holds: readonly CrashedHold[]): Promise<string[]> {
  if (holds.length === 0) return [];
  const wallets = new Map(holds.map(({ id, wallet_id }) => [Number(id), Number(wallet_id)]));
  const rows = await gateway.rows<{ id: number; debit: string }>(
    `select billing_id as id, debit from ledger
     where credit = 'revenue' and billing_id in (${[...wallets.keys()].join(", ")})`,
  );
  return rows
    .filter(({ id, debit }) => debit.split(":")[1] !== String(wallets.get(Number(id))))
    .map(({ id, debit }) => `call ${id} of wallet ${wallets.get(Number(id))} was paid by ${debit}`);
}

/** PostgreSQL executes the statements that have reached it, even when their client is gone. */
const untilServerIsQuiet = (gateway: RunGateway) =>
  eventually(
    async () => {
      const [row] = await gateway.rows<{ count: number }>(
        "select count(*) as count from pg_stat_activity where datname = current_database() and application_name = 'tollgate'",
      );
      if (Number(row?.count) > 0)
        throw new Error(`${row?.count} connections of the dead gateway are still there`);
    },
    { timeoutMs: 60_000 },
  );

/** The call's id when its response is complete. */
async function readToEnd(
  gateway: RunGateway,
  key: string,
  model: string,
): Promise<number | undefined> {
  try {
    const response = await gateway.world.send(
      key,
      chatBody({ model, stream: true, max_tokens: 5_000 }),
      { headers: crashedRun },
    );
    const text = await response.text();
    return text.includes("[DONE]")
      ? findIdFromRequestId(response.headers.get("x-oneapi-request-id") ?? "")
      : undefined;
  } catch {
    return undefined;
  }
}

function dueFor(progress: string): number {
  const { usage } = JSON.parse(progress) as ProgressRecord;
  return usage.input * promptRate + usage.output * answerRate;
}

async function ledgerOf(gateway: RunGateway): Promise<number> {
  const [row] = await gateway.rows<{ amount: number }>(
    "select coalesce(sum(amount), 0) as amount from ledger where credit = 'revenue'",
  );
  return Number(row?.amount ?? 0);
}

async function chargesOf(
  gateway: RunGateway,
  ids: readonly number[],
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await gateway.rows<{ id: number; amount: number }>(
    `select billing_id as id, sum(amount) as amount from ledger
     where credit = 'revenue' and billing_id in (${ids.join(", ")}) group by billing_id`,
  );
  return new Map(rows.map(({ id, amount }) => [Number(id), Number(amount)]));
}
