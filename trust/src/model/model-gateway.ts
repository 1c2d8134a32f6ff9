// The real side of the model: one gateway that many runs share, with users that are reset before
// each run.
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import type { RunGateway } from "../runs/run-gateway.ts";
import { addTaskProviders } from "../runs/task-providers.ts";
import { endTeam } from "./model-team.ts";
import { type ModelPrice, type ModelUser, type ReferenceModel, tagOf } from "./reference-model.ts";

/** The behaviour of the provider behind each model; `stall` sends five words and then nothing. */
const channelsOf = {
  whole: [{ key: "sim-ok" }],
  retried: [{ key: "sim-fail-503+as-first", priority: 9 }, { key: "sim-ok+as-second" }],
  costly: [{ key: "sim-ok+no-limit" }],
  failing: [{ key: "sim-fail-500" }],
  cut: [{ key: "sim-cut-5" }],
  stalled: [{ key: "sim-stall-5" }],
  silent: [{ key: "sim-hang" }],
  spilled: [{ key: "sim-ok+as-account", priority: 9 }, { key: "sim-ok+as-next" }],
} as const;
export type ModelChannelBehaviour = keyof typeof channelsOf;
const behaviours = Object.keys(channelsOf) as ModelChannelBehaviour[];
/** Words that arrive before `cut` and `stalled` break off. */
export const wordsMax = 5;

const firstPrice: ModelPrice = { ratio: 1, completionRatio: 4 };
const usersPerRun = 2;
const poolSize = 6;

export interface ModelGateway {
  gateway: RunGateway;
  price(behaviour: ModelChannelBehaviour): ModelPrice;
  /** Ids of its channels, the first one first. */
  channelsOf(behaviour: ModelChannelBehaviour): readonly number[];
  groupRatio(): number;
  setPrice(behaviour: ModelChannelBehaviour, price: ModelPrice): Promise<void>;
  setGroupRatio(ratio: number): Promise<void>;
  /** Deletes the channel and creates another one like it. */
  replaceChannel(behaviour: ModelChannelBehaviour): Promise<void>;
  addUser(): Promise<ModelUser>;
  /** Takes a deleted user out of the pool. */
  removeFromPool(user: ModelUser): void;
  /**
   * Starts a run: users without quota and tokens, initial prices, the clock later than every log
   * row.
   */
  startRun(): Promise<ReferenceModel>;
  /**
   * Compares everything that is stored for a user with the model; waits until none of the user's
   * calls runs.
   */
  compare(user: ModelUser): Promise<void>;
  /** The charge of a call in quota units, by its request id. */
  chargedFor(billingId: number): Promise<number>;
  setClockBackLater(ms: number): void;
  /** Counts an executed command by its name. */
  countCommand(command: string): void;
  commandCounts: ReadonlyMap<string, number>;
}

/** `toolServer` is the address of an MCP server that the gateway may call. */
export async function createModelGateway(
  runGateway: RunGateway,
  toolServer: string,
): Promise<ModelGateway> {
  const prices = new Map<ModelChannelBehaviour, ModelPrice>();
  const channels = new Map<ModelChannelBehaviour, number[]>();
  let groupRatio = 1;
  const pool: ModelUser[] = [];
  const commandCounts = new Map<string, number>();
  let assignments = 0;
  /** The model of the story before. */
  let last: ReferenceModel | undefined;
  let backMs = 0;

  const configOf = (behaviour: ModelChannelBehaviour, { ratio, completionRatio }: ModelPrice) =>
    JSON.stringify({ [behaviour]: { ratio, completion_ratio: completionRatio } });

  async function addChannels(behaviour: ModelChannelBehaviour): Promise<void> {
    const price = prices.get(behaviour) ?? firstPrice;
    const ids: number[] = [];
    for (const fields of channelsOf[behaviour]) {
      const [created] = await runGateway.root<{ id: number }[]>("POST", "/api/channel/", {
        name: `${behaviour} ${fields.key}`,
        type: 1,
        base_url: runGateway.world.simulator.url,
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
  await addTaskProviders(runGateway, toolServer);
  await runGateway.root("PUT", "/api/option/", { key: "TagKeys", value: "team" });
  await runGateway.root("PUT", "/api/option/", { key: "TransferFromUsers", value: "true" });
  // Soft, so that they decide nothing: the audit compares each of their whole windows with the
  // ledger while the clock moves.
  const zones = ["Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns"];
  const windows = zones.flatMap((zone) => ["hour", "day"].map((window) => ({ window, zone })));
  const days = zones.slice(0, 2).map((zone) => ({ window: "days:2", anchor: "2026-01-02", zone }));
  for (const given of [...windows, ...days])
    await runGateway.root("POST", "/api/budget/", {
      ...{
        subject: "site",
        name: `${given.window} in ${given.zone}`,
        ...given,
        amount: 1,
        hard: false,
      },
    });

  const setPrice = async (behaviour: ModelChannelBehaviour, price: ModelPrice) => {
    for (const id of channels.get(behaviour) ?? [])
      await runGateway.root("PUT", "/api/channel/", {
        id,
        model_configs: configOf(behaviour, price),
      });
    prices.set(behaviour, price);
  };
  const setGroupRatio = async (ratio: number) => {
    await runGateway.root("PUT", "/api/option/", {
      key: "GroupRatio",
      value: JSON.stringify({ default: ratio }),
    });
    groupRatio = ratio;
  };
  const addUser = async (): Promise<ModelUser> => {
    const member = await runGateway.addMember();
    const user = {
      ...member,
      balance: 0,
      debt: 0,
      used: 0,
      isEnabled: true,
      tokens: [],
      refusedCodes: 0,
    };
    pool.push(user);
    return user;
  };

  async function emptied(user: ModelUser): Promise<ModelUser> {
    if (!user.isEnabled) {
      await runGateway.root("PUT", "/api/user/?status_only=1", { id: user.id, status: 1 });
      user.access = await runGateway.newAccess(user.username);
    }
    for (const { id } of user.tokens)
      await runGateway.api(user.access, "DELETE", `/api/token/${id}`);
    if (user.balance > 0) await runGateway.root("PUT", "/api/user/", { id: user.id, quota: 0 });
    if (user.debt > 0) await runGateway.root("POST", `/api/user/${user.id}/waive_debt`);
    for (const budget of [user.tagBudget, user.budget])
      if (budget) await runGateway.root("DELETE", `/api/budget/${budget.id}`);
    return Object.assign(user, {
      balance: 0,
      debt: 0,
      isEnabled: true,
      tokens: [],
      tagBudget: undefined,
      budget: undefined,
    });
  }

  const stateOf = async (user: ModelUser) => {
    const [found] = await runGateway.rows<{
      balance: number;
      held: number;
      debt: number;
      used: number;
      open: number;
    }>(
      `select w.balance as balance, w.held as held, w.debt as debt, u.used_quota as used,
         (select count(*) from reservations where user_id = u.id) as open
       from users u join wallets w on w.id = u.wallet_id where u.id = ${user.id}`,
    );
    const tokens = await runGateway.rows<{
      id: number;
      remain: number;
      held: number;
      used: number;
      status: number;
    }>(
      `select id, remain_quota as remain, held_quota as held, used_quota as used, status from tokens
       where user_id = ${user.id} and team_id is null and session_hash is null order by id`,
    );
    const budgets = await runGateway.rows<{ id: number; spent: number; held: number }>(
      `select b.id as id, c.spent as spent, c.held as held
       from budgets b join budget_counters c on c.budget_id = b.id
       left join tokens t on t.id = b.subject_id and b.subject = 'token'
       where c.window_start >= b.counts_from and ((t.user_id = ${user.id} and t.team_id is null)
         or b.tag = '${tagOf(user)}' or (b.subject = 'user' and b.subject_id = ${user.id})) order by b.id`,
    );
    return { ...found, tokens, budgets };
  };

  const expected = ({ balance, debt, used, tokens, tagBudget, budget: own }: ModelUser) => ({
    balance,
    held: 0,
    debt,
    used,
    open: 0,
    tokens: tokens
      .toSorted((one, other) => one.id - other.id)
      .map(({ id, remain, used: spent, isEnabled }) => ({
        id,
        remain,
        held: 0,
        used: spent,
        isEnabled,
      })),
    // A budget of which nothing was spent may have no counter.
    budgets: [own, tagBudget, ...tokens.map(({ budget }) => budget)]
      .flatMap((budget) =>
        budget && budget.spent > 0 ? [{ id: budget.id, spent: budget.spent, held: 0 }] : [],
      )
      .toSorted((one, other) => one.id - other.id),
  });

  return {
    gateway: runGateway,
    commandCounts,
    countCommand(command) {
      commandCounts.set(command, (commandCounts.get(command) ?? 0) + 1);
    },
    price: (behaviour) => prices.get(behaviour) ?? firstPrice,
    channelsOf: (behaviour) => channels.get(behaviour) ?? [],
    groupRatio: () => groupRatio,
    setPrice,
    setGroupRatio,
    addUser,
    removeFromPool(user) {
      pool.splice(pool.indexOf(user), 1);
    },
    async replaceChannel(behaviour) {
      for (const id of channels.get(behaviour) ?? [])
        await runGateway.root("DELETE", `/api/channel/${id}`);
      await addChannels(behaviour);
    },
    setClockBackLater(ms) {
      backMs += ms;
    },
    async startRun() {
      if (backMs > 0) await runGateway.moveClock(backMs);
      backMs = 0;
      for (const [behaviour, { ratio, completionRatio }] of prices)
        if (ratio !== firstPrice.ratio || completionRatio !== firstPrice.completionRatio)
          await setPrice(behaviour, firstPrice);
      if (groupRatio !== 1) await setGroupRatio(1);
      for (const { id } of await runGateway.rows<{ id: number }>(
        "select id from budgets where subject = 'channel'",
      ))
        await runGateway.root("DELETE", `/api/budget/${id}`);
      while (pool.length < poolSize) await addUser();
      assignments += 1;
      const users = Array.from(
        { length: usersPerRun },
        (_, n) => pool[(assignments * usersPerRun + n) % pool.length],
      );
      for (const team of last?.teams.values() ?? []) await endTeam(runGateway, team);
      const model: ReferenceModel = { users: [], codes: [], teams: new Map() };
      last = model;
      for (const user of users) if (user) model.users.push(await emptied(user));
      return model;
    },
    async compare(user) {
      const expectedValue = JSON.stringify(expected(user));
      await eventually(
        async () => {
          const { tokens, budgets, ...state } = await stateOf(user);
          const shown = tokens.map(({ id, remain, held, used, status }) => {
            const isEnabled = status !== 2;
            return {
              id: Number(id),
              remain: Number(remain),
              held: Number(held),
              used: Number(used),
              isEnabled,
            };
          });
          const counted = budgets
            .map(({ id, spent, held }) => ({
              id: Number(id),
              spent: Number(spent),
              held: Number(held),
            }))
            .filter(({ spent, held }) => spent > 0 || held > 0);
          const found = JSON.stringify({ ...state, tokens: shown, budgets: counted });
          if (found !== expectedValue)
            throw new Error(`${user.username} has ${found}, the model ${expectedValue}`);
        },
        { timeoutMs: 15_000, everyMs: 2 },
      );
    },
    async chargedFor(billingId) {
      const [row] = await runGateway.rows<{ charged: number }>(
        `select coalesce(sum(amount), 0) as charged from ledger where billing_id = ${billingId} and credit = 'revenue'`,
      );
      return Number(row?.charged ?? 0);
    },
  };
}
