/**
 * Writes the sample site into a data folder that no gateway has open: through the management API
 * with its clock in the past, and calls through the money verbs.
 */

import { ensureRoot } from "@tollgate/gateway/accounts/identity/users/root-account.ts";
import { createUserStore } from "@tollgate/gateway/accounts/identity/users/user-store.ts";
import { readSettings } from "@tollgate/gateway/config/config.ts";
import { addMasterKey } from "@tollgate/gateway/start/site-master-key.ts";
import type { Database } from "@tollgate/gateway/storage/database.ts";
import { openDatabase } from "@tollgate/gateway/storage/open-database.ts";
import { createSampleApi, type SampleApi, type SampleApiClient } from "./sample-api.ts";
import { bothGroups, channels } from "./sample-channels.ts";
import { events } from "./sample-events.ts";
import { historyDays, sampleMonth } from "./sample-history.ts";
import { addSampleLimits } from "./sample-limits.ts";
import { type SampleHistorySite, settleSampleHistory } from "./sample-settle.ts";
import { samplePassword, sampleTokens, sampleUsers } from "./sample-site.ts";
import { options } from "./sample-texts.ts";

const dayMs = 86_400_000;
const disabled = 2;

export interface SampleSite {
  /** API keys by token name. */
  keys: ReadonlyMap<string, string>;
  /** The number of written past calls. */
  calls: number;
}

export async function writeSampleSite(
  dataDir: string,
  upstream: string,
  now = Date.now(),
): Promise<SampleSite> {
  const config = await addMasterKey(readSettings({ DATA_DIR: dataDir }));
  const stop = (error: Error): never => {
    throw error;
  };
  const db = await openDatabase(config, { onError: stop, onFatal: stop });
  try {
    const begin = now - (historyDays + 1) * dayMs;
    await ensureRoot(db, createUserStore(db), { initialPassword: samplePassword, now: begin });
    const api = await createSampleApi(db, config.masterKey, begin);
    const root = await api.signIn("root", samplePassword);
    for (const [key, value] of Object.entries(options))
      await root("PUT", "/api/option/", { key, value });
    const accounts = await addUsers(db, root);
    const site: SampleHistorySite = {
      people: accounts,
      tokens: await addTokens(api, now),
      channels: await addChannels(root, upstream),
    };
    await addSampleLimits(root, site);
    const calls = await settleSampleHistory(db, site, sampleMonth(now));
    for (const { daysAgo, run } of events) {
      api.moveTo(now - daysAgo * dayMs);
      await run(api);
    }
    api.moveTo(now - dayMs);
    await finish(api, site);
    return { keys: new Map([...site.tokens].map(([name, { key }]) => [name, key])), calls };
  } finally {
    await db.close();
  }
}

async function addUsers(db: Database, root: SampleApiClient): Promise<SampleHistorySite["people"]> {
  const made = new Map<string, number>();
  for (const {
    username,
    display_name,
    role,
    group,
    quota,
    temporaryPassword: password = samplePassword,
  } of sampleUsers) {
    const body = {
      username,
      display_name,
      group,
      quota,
      password,
      email: `${username}@example.org`,
    };
    const { id } = await root<{ id: number }>("POST", "/api/user/", body);
    if (role !== 1) await root("PUT", "/api/user/", { id, role });
    made.set(username, id);
  }
  // No API exposes wallets, and only the money verbs need them.
  const rows = await db.read(
    db.sql.selectFrom("users").select(["id", "username", "group", "wallet_id"]),
  );
  return new Map(
    rows.map(({ id, username, group, wallet_id }) => [
      username,
      { id, group, walletId: wallet_id },
    ]),
  );
}

interface CreatedSampleUser {
  id: number;
  uuid: string;
}

async function addChannels(root: SampleApiClient, upstream: string) {
  const made = new Map<string, CreatedSampleUser & { model_configs: string | null }>();
  for (const {
    name,
    type,
    key,
    models,
    priority,
    weight,
    group = bothGroups,
    model_configs,
    config,
  } of channels) {
    const body = {
      name,
      type,
      key,
      models,
      priority,
      weight,
      group,
      model_configs,
      config,
      base_url: upstream,
    };
    const [created] = await root<(CreatedSampleUser & { model_configs: string | null })[]>(
      "POST",
      "/api/channel/",
      body,
    );
    if (created) made.set(name, created);
  }
  return made;
}

async function addTokens(api: SampleApi, now: number) {
  const made = new Map<string, CreatedSampleUser & { key: string }>();
  for (const owner of new Set(sampleTokens.map((token) => token.owner))) {
    const client = await api.signIn(owner, samplePassword);
    for (const token of sampleTokens.filter((one) => one.owner === owner)) {
      const { name, quota, expiresInDays, models = "", subnet = "" } = token;
      const expired_time =
        expiresInDays === undefined ? -1 : Math.floor((now + expiresInDays * dayMs) / 1000);
      const body = {
        name,
        remain_quota: quota ?? 0,
        unlimited_quota: quota === undefined,
        expired_time,
        models,
        subnet,
      };
      made.set(
        name,
        await client<CreatedSampleUser & { key: string }>("POST", "/api/token/", body),
      );
    }
  }
  return made;
}

/** Disables what is disabled today; it was in use before, so this runs last. */
async function finish(
  api: SampleApi,
  { channels: made, tokens: keys }: SampleHistorySite,
): Promise<void> {
  const root = await api.signIn("root", samplePassword);
  for (const { name, status, autoDisabled, balance, testedMs } of channels) {
    const id = made.get(name)?.id;
    if (balance !== undefined) await root("POST", `/api/channel/update_balance/${id}`);
    if (testedMs !== undefined) await root("POST", `/api/channel/test/${id}`);
    if (status === disabled) await root("PUT", "/api/channel/?status_only=1", { id, status });
    if (autoDisabled !== undefined) await api.disableChannel(name, autoDisabled);
  }
  for (const { name, owner } of sampleTokens.filter(({ isDisabled }) => isDisabled)) {
    const client = await api.signIn(owner, samplePassword);
    await client("PUT", "/api/token/?status_only=1", { id: keys.get(name)?.id, status: disabled });
  }
  for (const { username, endState } of sampleUsers) {
    const action = endState === "disabled" ? "disable" : "delete";
    if (endState) await root("POST", "/api/user/manage", { username, action });
  }
}
