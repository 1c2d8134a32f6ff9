// F-40: a hundred users race for each code, over HTTP and all at once; one of them is paid.
import type { RunGateway, RunMember } from "../runs/run-gateway.ts";
import {
  difference,
  inParallel,
  isAboutStorage,
  type Race,
  sumOf,
  withRaceGateway,
} from "./race-support.ts";

const racersMax = 100;
/**
 * Attempts of one racer per code, as many as a user has: a 503 is retried with the same key and
 * must not pay twice.
 */
const triesMax = 5;
/**
 * A user who fails five times within a quarter of an hour must wait, so the clock advances after
 * every code.
 */
const pastWindowMs = 2 * 901_000;
/** Creating and signing in users hashes passwords in the gateway's few threads for it. */
const membersAtOnce = 8;
const quotaLeast = 700;

export const redeemRace: Race = (options, count) =>
  withRaceGateway(options, {}, async (gateway) => {
    const racers = await inParallel(
      Array.from({ length: Math.min(racersMax, count) }),
      membersAtOnce,
      () => gateway.addMember(),
    );
    const expected = new Map(racers.map(({ walletId }) => [walletId, 0]));
    const problems: string[] = [];
    let paid = 0;
    let repeated = 0;
    for (let made = 0; made < count; made += 1) {
      const quota = quotaLeast + made;
      const [code = ""] = await gateway.root<string[]>("POST", "/api/redemption/", {
        name: "race",
        quota,
        count: 1,
      });
      const { winners, repeats } = await raceFor(gateway, racers, code, quota, problems);
      repeated += repeats;
      for (const winner of winners) {
        paid += 1;
        expected.set(winner.walletId, (expected.get(winner.walletId) ?? 0) + quota);
      }
      await gateway.moveClock(pastWindowMs);
    }
    const wallets = await gateway.rows<{ id: number; balance: number }>(
      "select id, balance from wallets",
    );
    const balances = new Map(wallets.map(({ id, balance }) => [Number(id), Number(balance)]));
    for (const [id, quota] of expected)
      problems.push(...difference(`the balance of wallet ${id}`, balances.get(Number(id)), quota));
    return {
      size: count * racers.length,
      figures: `${count * racers.length} attempts of ${racers.length} racers on ${count} codes: ${paid} paid, ${sumOf(expected.values())} units${repeated === 0 ? "" : `; ${repeated} sent again after a 503`}`,
      problems: [...difference("codes paid", paid, count), ...problems],
    };
  });

async function raceFor(
  gateway: RunGateway,
  racers: readonly RunMember[],
  code: string,
  quota: number,
  problems: string[],
): Promise<{ winners: RunMember[]; repeats: number }> {
  const winners: RunMember[] = [];
  let repeats = 0;
  await Promise.all(
    racers.map(async (racer) => {
      let reply = await redeem(gateway, racer, code);
      for (let tries = 1; tries < triesMax && isAboutStorage(reply.text); tries += 1) {
        repeats += 1;
        reply = await redeem(gateway, racer, code);
      }
      if (reply.body?.success === true && reply.body.data === quota) winners.push(racer);
      else if (reply.body?.code !== "redemption_refused")
        problems.push(`a racer was told ${reply.status} ${reply.text}`);
    }),
  );
  problems.push(...difference("racers paid by one code", winners.length, 1));
  return { winners, repeats };
}

const redeem = (gateway: RunGateway, { access, username }: RunMember, code: string) =>
  gateway.askOnce(access, "/api/user/topup", { key: code }, `${username}-${code}`);
