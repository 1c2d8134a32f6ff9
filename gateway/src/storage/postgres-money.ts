/** The money verbs on PostgreSQL, as calls of the functions that migrations define. */
import type { HoldCommand, MoneyCommand, SettleCommand } from "./money-commands.ts";
import { computeDay, computeHour, failedOutcomes } from "./rollups.ts";
import type { LogRow } from "./tables/call-tables.ts";
import { computeIdTime } from "./time-ids.ts";

/** A number stands for the units of a partial hold. */
export const readMoneyResult = (result: string): string | number =>
  /^\d+$/.test(result) ? Number(result) : result;

export type MoneyQuery = [sql: string, parameters: unknown[]];

/**
 * Many holds or settlements as one statement and one transaction, which writes sums where it can.
 * Commands are sorted, so that batches of several nodes lock wallets and tokens in one order;
 * `place` is where a command stood before.
 */
export const planHoldsQuery = (
  commands: readonly HoldCommand[],
  node: number,
  isRepeated: boolean,
): MoneyQuery => [
  "select place, result from tollgate_hold_batch($1::json, $2, $3)",
  [
    JSON.stringify(
      commands
        .map(
          (
            {
              id,
              walletId,
              userId,
              tokenId,
              amount,
              least = amount,
              tokenIsUnlimited,
              leaseUntil,
              snapshot,
            },
            place,
          ) => ({
            place,
            id,
            wallet: walletId,
            owner: userId,
            token: tokenId,
            amount,
            least,
            unlimited: tokenIsUnlimited,
            lease: leaseUntil,
            snapshot,
          }),
        )
        .sort((one, other) => one.wallet - other.wallet || one.token - other.token),
    ),
    node,
    isRepeated,
  ],
];

export const planSettlesQuery = (commands: readonly SettleCommand[]): MoneyQuery => [
  "select place, result from tollgate_settle_batch($1, $2, $3)",
  [
    commands.map(({ id }) => id),
    JSON.stringify(
      commands
        .map((command, place) => ({
          place,
          id: command.id,
          charge: command.charge,
          log: readStoredLog(command),
          trace: command.trace,
        }))
        .sort(
          ({ log: one }, { log: other }) =>
            one.user_id - other.user_id || one.token_id - other.token_id,
        ),
    ),
    Date.now(),
  ],
];

/** `readStoredLog` adds the facts that the roll-ups need of it. */
function readStoredLog({ id, log, target }: SettleCommand) {
  const at = computeIdTime(id);
  return {
    ...log,
    ...(target !== undefined && { target }),
    day: computeDay(at),
    hour: computeHour(at),
    failed: failedOutcomes.includes(log.outcome) ? 1 : 0,
  };
}

export function planMoneyQuery(command: MoneyCommand, node: number, retried: boolean): MoneyQuery {
  switch (command.verb) {
    case "hold": {
      const {
        id,
        walletId,
        userId,
        tokenId,
        amount,
        least = amount,
        tokenIsUnlimited,
        leaseUntil,
        snapshot,
      } = command;
      const budgets = command.budgets ? JSON.stringify(command.budgets) : null;
      return [
        "select tollgate_hold($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as result",
        [
          id,
          walletId,
          userId,
          tokenId,
          amount,
          least,
          tokenIsUnlimited,
          node,
          leaseUntil,
          snapshot,
          retried,
          budgets,
        ],
      ];
    }
    case "top_up_hold":
      return [
        "select tollgate_top_up_hold($1, $2, $3) as result",
        [command.id, command.amount, command.onChannel ?? 0],
      ];
    case "enter_channel": {
      const { id, channelId, amount, keeps = 0 } = command;
      const entered = command.budgets.map((budget) => ({ ...budget, channel: channelId, amount }));
      return [
        "select tollgate_enter_channel($1, $2, $3, $4, $5) as result",
        [id, channelId, JSON.stringify(entered), amount, keeps],
      ];
    }
    case "settle": {
      const { id, charge, trace } = command;
      return [
        "select tollgate_settle($1, $2, $3, $4::jsonb, $5) as result",
        [id, charge, Date.now(), JSON.stringify(readStoredLog(command)), trace],
      ];
    }
    case "leave_pool":
    case "shrink_pool":
      throw new Error("pools of holds are for SQLite");
    case "release":
      return ["select tollgate_release($1) as result", [command.id]];
    case "progress":
      return [
        `update reservations set lease_until = $1, progress = coalesce(given.progress, reservations.progress)
         from unnest($2::bigint[], $3::text[]) as given (id, progress) where reservations.id = given.id`,
        [
          command.leaseUntil,
          command.calls.map(([id]) => id),
          command.calls.map(([, progress]) => progress),
        ],
      ];
    case "grant":
      return [
        "select tollgate_grant($1, $2, $3, $4) as result",
        [command.id, command.walletId, command.amount, command.at],
      ];
    case "redeem": {
      const { id, codeId, quota, walletId, userId, at, idempotencyHash, log } = command;
      return [
        "select tollgate_redeem($1, $2, $3, $4, $5, $6, $7, $8::jsonb) as result",
        [id, codeId, quota, walletId, userId, at, idempotencyHash, JSON.stringify(log)],
      ];
    }
  }
}

/** Queues a call without a hold for the roll-ups. Triggers queue what else its row counts for. */
export function queueUntimed(log: LogRow): { text: string; values: unknown[] } {
  const at = computeIdTime(log.id);
  const values = [
    ...[computeDay(at), computeHour(at), log.team_id === null ? log.user_id : 0],
    ...[log.token_id, log.channel_id, log.model_name, failedOutcomes.includes(log.outcome) ? 1 : 0],
    ...[log.quota, log.prompt_tokens, log.completion_tokens, log.cached_prompt_tokens],
    ...[log.cache_write_5m_tokens + log.cache_write_1h_tokens, log.ttft_ms],
  ];
  const places = values.map((_, index) => `$${index + 1}`);
  return {
    text: `insert into rollup_queue (
        day, hour, user_id, token_id, channel_id, model_name, failed, quota, prompt_tokens,
        completion_tokens, cached_prompt_tokens, cache_write_tokens, ttft_ms
      ) values (${places.join(", ")})`,
    values,
  };
}
