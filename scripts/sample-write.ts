/**
 * Writes the sample site into a data folder that no gateway has open: accounts by storage (there is no API for them
 * yet), channels and keys by the management API with its clock a month ago, the calls by the money verbs.
 */
import { readConfig } from "@tollgate/gateway/config.ts";
import type { Database } from "@tollgate/gateway/storage/database.ts";
import { uuid7 } from "@tollgate/gateway/storage/ids.ts";
import { openDatabase } from "@tollgate/gateway/storage/open.ts";
import { hashPassword } from "@tollgate/gateway/users/passwords.ts";
import { ensureRoot } from "@tollgate/gateway/users/root-account.ts";
import { userStore } from "@tollgate/gateway/users/user-store.ts";
import { openSampleApi, type SampleApi } from "./sample-api.ts";
import { historyDays, sampleMonth } from "./sample-history.ts";
import { type PastSite, settlePast } from "./sample-settle.ts";
import { channels, people, samplePassword, tokens } from "./sample-site.ts";

const dayMs = 86_400_000;
const stepMs = 17 * 60_000 + 21_000;
const enabled = 1;
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
    const known = await addPeople(db, begin);
    // Nobody sets up a site within one second.
    let clock = begin;
    const api = await openSampleApi(db, config.masterKey, () => {
      clock += stepMs;
      return clock;
    });
    const made = await addTokens(api, now);
    const site: PastSite = { people: known, tokens: made, channels: await addChannels(api, upstream) };
    const calls = await settlePast(db, site, sampleMonth(now));
    await disable(db, api, site);
    return { keys: new Map([...made].map(([name, { key }]) => [name, key])), calls };
  } finally {
    await db.close();
  }
}

async function addPeople(db: Database, now: number): Promise<PastSite["people"]> {
  const users = userStore(db);
  const password_hash = await hashPassword(samplePassword);
  for (const { username, display_name, role } of people) {
    const row = {
      uuid: uuid7(now),
      username,
      display_name,
      email: `${username}@example.org`,
      password_hash,
      role,
      status: enabled,
      group: "default",
      must_change_password: 0 as const,
      access_token_hash: null,
      created_at: now,
      updated_at: now,
    };
    await db.write(users.insertWithWallet(row, uuid7(now)), { changes: ["users"] });
  }
  const rows = await db.read(db.sql.selectFrom("users").select(["id", "username", "wallet_id"]));
  const known = new Map(rows.map(({ id, username, wallet_id }) => [username, { id, walletId: wallet_id }]));
  for (const { username, granted } of people) {
    const walletId = known.get(username)?.walletId ?? 0;
    await db.money({ verb: "grant", id: db.mintId(), walletId, amount: granted, at: now });
  }
  return known;
}

interface Created {
  id: number;
  uuid: string;
}

async function addChannels(api: SampleApi, upstream: string) {
  const root = await api.signIn("root", samplePassword);
  const made = new Map<string, Created & { model_configs: string | null }>();
  for (const { status: _, autoDisabled: __, ...channel } of channels) {
    const body = { ...channel, base_url: upstream, group: "default" };
    const [created] = await root<(Created & { model_configs: string | null })[]>("POST", "/api/channel/", body);
    if (created) made.set(channel.name, created);
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

/** What is disabled today was in use before, so this comes last. */
async function disable(db: Database, api: SampleApi, site: PastSite): Promise<void> {
  const root = await api.signIn("root", samplePassword);
  for (const { name, status } of channels) {
    const id = site.channels.get(name)?.id;
    if (status === disabled) await root("PUT", "/api/channel/?status_only=1", { id, status });
  }
  for (const { name, owner } of tokens.filter(({ isDisabled }) => isDisabled)) {
    const client = await api.signIn(owner, samplePassword);
    await client("PUT", "/api/token/?status_only=1", { id: site.tokens.get(name)?.id, status: disabled });
  }
  // Only the gateway itself disables automatically, and only it disables an account for now.
  const reasons = channels.filter((channel) => channel.autoDisabled !== undefined);
  const gone = people.filter(({ status }) => status === disabled);
  await db.write([
    ...reasons.map(({ name, autoDisabled = "" }) => ({
      query: db.sql.updateTable("channels").set({ status: 3, disabled_reason: autoDisabled }).where("name", "=", name),
      rows: 1,
    })),
    ...gone.map(({ username }) => ({
      query: db.sql.updateTable("users").set({ status: disabled }).where("username", "=", username),
      rows: 1,
    })),
  ]);
}
