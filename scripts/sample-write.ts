/**
 * Writes the sample site into a data folder that no gateway has open: everything by the management API with its clock in
 * the past, the calls by the money verbs.
 */
import { readConfig } from "@tollgate/gateway/config.ts";
import { ensureRoot } from "@tollgate/gateway/identity/users/root-account.ts";
import { userStore } from "@tollgate/gateway/identity/users/user-store.ts";
import type { Database } from "@tollgate/gateway/storage/database.ts";
import { openDatabase } from "@tollgate/gateway/storage/open-database.ts";
import { type Client, openSampleApi, type SampleApi } from "./sample-api.ts";
import { bothGroups, channels } from "./sample-channels.ts";
import { events } from "./sample-events.ts";
import { historyDays, sampleMonth } from "./sample-history.ts";
import { type PastSite, settlePast } from "./sample-settle.ts";
import { people, samplePassword, tokens } from "./sample-site.ts";
import { options } from "./sample-texts.ts";

const dayMs = 86_400_000;
const disabled = 2;

export interface SampleSite {
  /** API keys by the names of their tokens. */
  keys: ReadonlyMap<string, string>;
  /** Past calls written. */
  calls: number;
}

export async function writeSampleSite(dataDir: string, upstream: string, now = Date.now()): Promise<SampleSite> {
  const config = readConfig({ DATA_DIR: dataDir });
  const stop = (error: Error): never => {
    throw error;
  };
  const db = await openDatabase(config, { onTrouble: stop, onDeath: stop });
  try {
    const begin = now - (historyDays + 1) * dayMs;
    await ensureRoot(db, userStore(db), { initialPassword: samplePassword, now: begin });
    const api = await openSampleApi(db, config.masterKey, begin);
    const root = await api.signIn("root", samplePassword);
    for (const [key, value] of Object.entries(options)) await root("PUT", "/api/option/", { key, value });
    const accounts = await addPeople(db, root);
    const site: PastSite = {
      people: accounts,
      tokens: await addTokens(api, now),
      channels: await addChannels(root, upstream),
    };
    const calls = await settlePast(db, site, sampleMonth(now));
    for (const { daysAgo, happen } of events) {
      api.moveTo(now - daysAgo * dayMs);
      await happen(api);
    }
    api.moveTo(now - dayMs);
    await finish(api, site);
    return { keys: new Map([...site.tokens].map(([name, { key }]) => [name, key])), calls };
  } finally {
    await db.close();
  }
}

async function addPeople(db: Database, root: Client): Promise<PastSite["people"]> {
  const made = new Map<string, number>();
  for (const { username, display_name, role, group, quota, temporaryPassword: password = samplePassword } of people) {
    const body = { username, display_name, group, quota, password, email: `${username}@example.org` };
    const { id } = await root<{ id: number }>("POST", "/api/user/", body);
    if (role !== 1) await root("PUT", "/api/user/", { id, role });
    made.set(username, id);
  }
  // No API names wallets, and only the money verbs need them.
  const rows = await db.read(db.sql.selectFrom("users").select(["id", "username", "group", "wallet_id"]));
  return new Map(rows.map(({ id, username, group, wallet_id }) => [username, { id, group, walletId: wallet_id }]));
}

interface Created {
  id: number;
  uuid: string;
}

async function addChannels(root: Client, upstream: string) {
  const made = new Map<string, Created & { model_configs: string | null }>();
  for (const { name, type, key, models, priority, weight, group = bothGroups, model_configs, config } of channels) {
    const body = { name, type, key, models, priority, weight, group, model_configs, config, base_url: upstream };
    const [created] = await root<(Created & { model_configs: string | null })[]>("POST", "/api/channel/", body);
    if (created) made.set(name, created);
  }
  return made;
}

async function addTokens(api: SampleApi, now: number) {
  const made = new Map<string, Created & { key: string }>();
  for (const owner of new Set(tokens.map((token) => token.owner))) {
    const client = await api.signIn(owner, samplePassword);
    for (const token of tokens.filter((one) => one.owner === owner)) {
      const { name, quota, expiresInDays, models = "", subnet = "" } = token;
      const expired_time = expiresInDays === undefined ? -1 : Math.floor((now + expiresInDays * dayMs) / 1000);
      const body = {
        name,
        remain_quota: quota ?? 0,
        unlimited_quota: quota === undefined,
        expired_time,
        models,
        subnet,
      };
      made.set(name, await client<Created & { key: string }>("POST", "/api/token/", body));
    }
  }
  return made;
}

/** What is out of use today was in use before, so this comes last. */
async function finish(api: SampleApi, { channels: made, tokens: keys }: PastSite): Promise<void> {
  const root = await api.signIn("root", samplePassword);
  for (const { name, status, autoDisabled, balance, testedMs } of channels) {
    const id = made.get(name)?.id;
    if (balance !== undefined) await root("POST", `/api/channel/update_balance/${id}`);
    if (testedMs !== undefined) await root("POST", `/api/channel/test/${id}`);
    if (status === disabled) await root("PUT", "/api/channel/?status_only=1", { id, status });
    if (autoDisabled !== undefined) await api.disableChannel(name, autoDisabled);
  }
  for (const { name, owner } of tokens.filter(({ isDisabled }) => isDisabled)) {
    const client = await api.signIn(owner, samplePassword);
    await client("PUT", "/api/token/?status_only=1", { id: keys.get(name)?.id, status: disabled });
  }
  for (const { username, fate } of people) {
    const action = fate === "disabled" ? "disable" : "delete";
    if (fate) await root("POST", "/api/user/manage", { username, action });
  }
}
