import type { Migration } from "./migration.ts";

/**
 * A hold was not synced, because a call that is lost with the machine moved no money. But the database's server can fall
 * alone, and the gateway goes on: then an answer was served whose hold was gone, and nothing was left to charge it to.
 */
export const syncedHolds: Migration = {
  id: 12,
  name: "synced holds",
  // There the gateway and its database are one process.
  sqlite: [],
  postgres: [
    `create or replace function tollgate_hold(
    p_id bigint, p_wallet bigint, p_user bigint, p_token bigint, p_amount bigint, p_token_amount bigint,
    p_node bigint, p_lease bigint, p_snapshot text, p_retried boolean
  ) returns text language plpgsql as $$
  begin
    if p_retried and exists (select 1 from reservations where id = p_id) then return 'held'; end if;
    update wallets set held = held + p_amount where id = p_wallet and balance - held >= p_amount;
    if not found then return 'insufficient_user_quota'; end if;
    if p_token_amount > 0 then
      update tokens set held_quota = held_quota + p_token_amount
      where id = p_token and remain_quota - held_quota >= p_token_amount;
      if not found then
        update wallets set held = held - p_amount where id = p_wallet;
        return 'pre_consume_token_quota_failed';
      end if;
    end if;
    insert into reservations (id, wallet_id, user_id, token_id, amount, token_amount, node, lease_until, snapshot, progress)
    values (p_id, p_wallet, p_user, p_token, p_amount, p_token_amount, p_node, p_lease, p_snapshot, null);
    return 'held';
  end $$`,
  ],
};
