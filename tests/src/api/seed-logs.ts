// Finished calls in the database, put there by the same money verbs that the relay uses.
import type { LogRow } from "@tollgate/gateway/storage/tables/call-tables.ts";
import type { ManagementGateway } from "./management-gateway.ts";

const EPOCH_MS = Date.UTC(2024, 0, 1);

interface LogOwner {
  id: number;
  username: string;
}

/** `addSettledCall` gives one settled call at a time of the test's choosing; answers its log id. */
export async function addSettledCall(
  gateway: ManagementGateway,
  user: LogOwner,
  at: number,
  log: Partial<LogRow> = {},
  trace?: object,
) {
  const { db } = gateway;
  const [account] = await db.read(
    db.sql.selectFrom("users").select("wallet_id").where("id", "=", user.id),
  );
  const [latest] = await db.read(
    db.sql.selectFrom("logs").select("id").orderBy("id", "desc").limit(1),
  );
  // A time id at that moment that is not taken yet.
  const floor = (at - EPOCH_MS) * 4096;
  const id = Math.max(
    floor,
    ...(latest && latest.id >= floor && latest.id < floor + 4096 ? [latest.id + 1] : []),
  );
  const walletId = account?.wallet_id ?? 0;
  const quota = log.quota ?? 10;
  await db.money({ verb: "grant", id: db.mintId(), walletId, amount: 1000, at });
  const tokenId = log.token_id ?? 0;
  const held = await db.money({
    verb: "hold",
    id,
    walletId,
    userId: user.id,
    tokenId,
    amount: quota,
    tokenIsUnlimited: true,
    leaseUntil: at + 60_000,
    snapshot: "{}",
  });
  if (held !== "held") throw new Error(String(held));
  const row: LogRow = {
    id,
    type: 2,
    user_id: user.id,
    username: user.username,
    token_id: tokenId,
    token_name: "",
    channel_id: 0,
    channel_name: "",
    model_name: "small",
    origin_model_name: "small",
    quota,
    prompt_tokens: 4,
    completion_tokens: 6,
    cached_prompt_tokens: 0,
    cache_write_5m_tokens: 0,
    cache_write_1h_tokens: 0,
    elapsed_ms: 800,
    ttft_ms: 90,
    is_stream: 0,
    outcome: "success",
    content: "",
    price: null,
    usage_details: null,
    retries: null,
    tags: null,
    cost_nanos: null,
    marks_saved: null,
    team_id: null,
    run: null,
    run_facts: null,
    ...log,
  };
  const record = {
    url: "/v1/chat/completions",
    method: "POST",
    body_size: 12,
    status: 200,
    timestamps: { request_received: at, request_forwarded: at + 40, request_completed: at + 800 },
    ...trace,
  };
  await db.money({ verb: "settle", id, charge: quota, log: row, trace: JSON.stringify(record) });
  return id;
}

/** On PostgreSQL roll-ups follow within a second. */
export async function waitForRollups(gateway: ManagementGateway, requests: number) {
  for (let tries = 0; tries < 100; tries += 1) {
    const [row] = await gateway.db.read(
      gateway.db.sql
        .selectFrom("rollup_day_model")
        .select(({ fn }) => fn.sum<number>("requests").as("requests")),
    );
    if (Number(row?.requests ?? 0) >= requests) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the roll-ups never counted ${requests} requests`);
}
