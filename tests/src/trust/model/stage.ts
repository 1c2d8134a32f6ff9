// The real side of the model: one gateway that many runs share, with people who are given back as they were taken.
import { eventually } from "../../harness/poll.ts";
import type { Site } from "../runs/site.ts";
import type { PlainModel, PlainPerson, Price } from "./plain-model.ts";

/** How the provider behind each model behaves; `stall` says five words and then nothing. */
const channelsOf = {
  whole: [{ key: "sim-ok" }],
  retried: [{ key: "sim-fail-503+as-first", priority: 9 }, { key: "sim-ok+as-second" }],
  failing: [{ key: "sim-fail-500" }],
  cut: [{ key: "sim-cut-5" }],
  stalled: [{ key: "sim-stall-5" }],
  silent: [{ key: "sim-hang" }],
} as const;
export type Behaviour = keyof typeof channelsOf;
const behaviours = Object.keys(channelsOf) as Behaviour[];
/** Words that come before `cut` and `stalled` break off. */
export const wordsMax = 5;

const firstPrice: Price = { ratio: 1, completionRatio: 4 };
const peopleAtOnce = 2;
const peopleKept = 6;

export interface Stage {
  site: Site;
  price(behaviour: Behaviour): Price;
  groupRatio(): number;
  setPrice(behaviour: Behaviour, price: Price): Promise<void>;
  setGroupRatio(ratio: number): Promise<void>;
  /** The channel goes away, and another like it comes. */
  replaceChannel(behaviour: Behaviour): Promise<void>;
  addPerson(): Promise<PlainPerson>;
  /** Nobody may use a person again who was deleted. */
  forget(person: PlainPerson): void;
  /** A new run: people without quota and tokens, first prices, the clock ahead of everything that was logged. */
  begin(): Promise<PlainModel>;
  /** Compares everything that is stored of a person with the model; waits until no call of theirs runs. */
  compare(person: PlainPerson): Promise<void>;
  /** What a call was charged, by its request id. */
  chargedFor(billingId: number): Promise<number>;
  takesBack(ms: number): void;
  /** One more of these commands was carried out. */
  count(command: string): void;
  counted: ReadonlyMap<string, number>;
}

export async function openStage(site: Site): Promise<Stage> {
  const prices = new Map<Behaviour, Price>();
  const channels = new Map<Behaviour, number[]>();
  let groupRatio = 1;
  const pool: PlainPerson[] = [];
  const counted = new Map<string, number>();
  let turns = 0;
  let backMs = 0;

  const configOf = (behaviour: Behaviour, { ratio, completionRatio }: Price) =>
    JSON.stringify({ [behaviour]: { ratio, completion_ratio: completionRatio } });

  async function addChannels(behaviour: Behaviour): Promise<void> {
    const price = prices.get(behaviour) ?? firstPrice;
    const ids: number[] = [];
    for (const fields of channelsOf[behaviour]) {
      const [created] = await site.root<{ id: number }[]>("POST", "/api/channel/", {
        name: `${behaviour} ${fields.key}`,
        type: 1,
        base_url: site.world.simulator.url,
        group: "default",
        models: behaviour,
        model_configs: configOf(behaviour, price),
        ...fields,
      });
      if (created) ids.push(created.id);
    }
    channels.set(behaviour, ids);
    prices.set(behaviour, price);
  }
  for (const behaviour of behaviours) await addChannels(behaviour);

  const setPrice = async (behaviour: Behaviour, price: Price) => {
    for (const id of channels.get(behaviour) ?? [])
      await site.root("PUT", "/api/channel/", { id, model_configs: configOf(behaviour, price) });
    prices.set(behaviour, price);
  };
  const setGroupRatio = async (ratio: number) => {
    await site.root("PUT", "/api/option/", { key: "GroupRatio", value: JSON.stringify({ default: ratio }) });
    groupRatio = ratio;
  };
  const addPerson = async (): Promise<PlainPerson> => {
    const member = await site.addMember();
    const person = { ...member, balance: 0, used: 0, isEnabled: true, tokens: [], refusedCodes: 0 };
    pool.push(person);
    return person;
  };

  async function emptied(person: PlainPerson): Promise<PlainPerson> {
    if (!person.isEnabled) await site.root("PUT", "/api/user/?status_only=1", { id: person.id, status: 1 });
    for (const { id } of person.tokens) await site.api(person.access, "DELETE", `/api/token/${id}`);
    if (person.balance > 0) await site.root("PUT", "/api/user/", { id: person.id, quota: 0 });
    return Object.assign(person, { balance: 0, isEnabled: true, tokens: [] });
  }

  const stateOf = async (person: PlainPerson) => {
    const [found] = await site.rows<{ balance: number; held: number; used: number; open: number }>(
      `select w.balance as balance, w.held as held, u.used_quota as used,
         (select count(*) from reservations where user_id = u.id) as open
       from users u join wallets w on w.id = u.wallet_id where u.id = ${person.id}`,
    );
    const tokens = await site.rows<{ id: number; remain: number; held: number; used: number; status: number }>(
      `select id, remain_quota as remain, held_quota as held, used_quota as used, status from tokens
       where user_id = ${person.id} and session_hash is null order by id`,
    );
    return { ...found, tokens };
  };

  const expected = ({ balance, used, tokens }: PlainPerson) => ({
    balance,
    held: 0,
    used,
    open: 0,
    tokens: tokens
      .toSorted((one, other) => one.id - other.id)
      .map(({ id, remain, used: spent, isEnabled }) => ({ id, remain, held: 0, used: spent, isEnabled })),
  });

  return {
    site,
    counted,
    count(command) {
      counted.set(command, (counted.get(command) ?? 0) + 1);
    },
    price: (behaviour) => prices.get(behaviour) ?? firstPrice,
    groupRatio: () => groupRatio,
    setPrice,
    setGroupRatio,
    addPerson,
    forget(person) {
      pool.splice(pool.indexOf(person), 1);
    },
    async replaceChannel(behaviour) {
      for (const id of channels.get(behaviour) ?? []) await site.root("DELETE", `/api/channel/${id}`);
      await addChannels(behaviour);
    },
    takesBack(ms) {
      backMs += ms;
    },
    async begin() {
      if (backMs > 0) await site.moveClock(backMs);
      backMs = 0;
      for (const [behaviour, { ratio, completionRatio }] of prices)
        if (ratio !== firstPrice.ratio || completionRatio !== firstPrice.completionRatio)
          await setPrice(behaviour, firstPrice);
      if (groupRatio !== 1) await setGroupRatio(1);
      while (pool.length < peopleKept) await addPerson();
      turns += 1;
      const people = Array.from({ length: peopleAtOnce }, (_, n) => pool[(turns * peopleAtOnce + n) % pool.length]);
      const model: PlainModel = { people: [], codes: [] };
      for (const person of people) if (person) model.people.push(await emptied(person));
      return model;
    },
    async compare(person) {
      const wanted = JSON.stringify(expected(person));
      await eventually(
        async () => {
          const { tokens, ...state } = await stateOf(person);
          const shown = tokens.map(({ id, remain, held, used, status }) => {
            const isEnabled = status !== 2;
            return { id: Number(id), remain: Number(remain), held: Number(held), used: Number(used), isEnabled };
          });
          const found = JSON.stringify({ ...state, tokens: shown });
          if (found !== wanted) throw new Error(`${person.username} has ${found}, the model ${wanted}`);
        },
        { timeoutMs: 15_000, everyMs: 2 },
      );
    },
    async chargedFor(billingId) {
      const [row] = await site.rows<{ charged: number }>(
        `select coalesce(sum(amount), 0) as charged from ledger where billing_id = ${billingId} and kind in ('charge', 'shortfall')`,
      );
      return Number(row?.charged ?? 0);
    },
  };
}
