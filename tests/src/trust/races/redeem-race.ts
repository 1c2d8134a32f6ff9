// F-40: a hundred people race for each code, over HTTP and all at once; one of them is paid.
import type { Member, Site } from "../runs/site.ts";
import { inParallel, isAboutStorage, onSite, type Race, sumOf, unlike } from "./race.ts";

const racersMax = 100;
/** Tries of one racer at one code, as many as a user has: a 503 is asked again with the same key, and must not pay twice. */
const triesMax = 5;
/** Whoever has failed five times within a quarter of an hour must wait, so the clock goes on after every code. */
const pastWindowMs = 2 * 901_000;
/** Passwords are hashed at their making and at their sign-in, in the gateway's few threads for it. */
const membersAtOnce = 8;
const quotaLeast = 700;

export const redeemRace: Race = (use, count) =>
  onSite(use, {}, async (site) => {
    const racers = await inParallel(Array.from({ length: Math.min(racersMax, count) }), membersAtOnce, () =>
      site.addMember(),
    );
    const due = new Map(racers.map(({ walletId }) => [walletId, 0]));
    const trouble: string[] = [];
    let paid = 0;
    let again = 0;
    for (let made = 0; made < count; made += 1) {
      const quota = quotaLeast + made;
      const [code = ""] = await site.root<string[]>("POST", "/api/redemption/", { name: "race", quota, count: 1 });
      const { winners, repeats } = await raceFor(site, racers, code, quota, trouble);
      again += repeats;
      for (const winner of winners) {
        paid += 1;
        due.set(winner.walletId, (due.get(winner.walletId) ?? 0) + quota);
      }
      await site.moveClock(pastWindowMs);
    }
    const wallets = await site.rows<{ id: number; balance: number }>("select id, balance from wallets");
    const balances = new Map(wallets.map(({ id, balance }) => [Number(id), Number(balance)]));
    for (const [id, quota] of due)
      trouble.push(...unlike(`the balance of wallet ${id}`, balances.get(Number(id)), quota));
    return {
      size: count * racers.length,
      figures: `${count * racers.length} attempts of ${racers.length} racers on ${count} codes: ${paid} paid, ${sumOf(due.values())} units${again === 0 ? "" : `; ${again} sent again after a 503`}`,
      trouble: [...unlike("codes paid", paid, count), ...trouble],
    };
  });

async function raceFor(
  site: Site,
  racers: readonly Member[],
  code: string,
  quota: number,
  trouble: string[],
): Promise<{ winners: Member[]; repeats: number }> {
  const winners: Member[] = [];
  let repeats = 0;
  await Promise.all(
    racers.map(async (racer) => {
      let reply = await redeem(site, racer, code);
      for (let tries = 1; tries < triesMax && isAboutStorage(reply.text); tries += 1) {
        repeats += 1;
        reply = await redeem(site, racer, code);
      }
      if (reply.body?.success === true && reply.body.data === quota) winners.push(racer);
      else if (reply.body?.code !== "redemption_refused")
        trouble.push(`a racer was told ${reply.status} ${reply.text}`);
    }),
  );
  trouble.push(...unlike("racers paid by one code", winners.length, 1));
  return { winners, repeats };
}

const redeem = (site: Site, { access, username }: Member, code: string) =>
  site.askOnce(access, "/api/user/topup", { key: code }, `${username}-${code}`);
