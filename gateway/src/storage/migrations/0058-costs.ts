/**
 * What calls cost the operator. A log row has a cost where the channel has a buying price, and the roll-up counts such calls alone: on
 * PostgreSQL a trigger queues them with the row, and `tollgate_fold_costs` adds them up each second; SQLite adds them as it does the
 * other roll-ups. Rows of other types than calls, such as those of a dual run, have no cost.
 */
import type { Migration } from "./migration.ts";

const statements = [
  "alter table logs add column cost_nanos bigint",
  `create table rollup_day_cost (
    day bigint not null, channel_id bigint not null, model_name text not null,
    requests bigint not null, quota bigint not null, cost_nanos bigint not null,
    primary key (day, channel_id, model_name)
  )`,
];

/** The day follows from the id (storage/time-ids.ts). */
const postgresQueue = `
create table rollup_cost_queue (
  day bigint not null, channel_id bigint not null, model_name text not null, quota bigint not null, cost_nanos bigint not null
);

create function tollgate_queue_cost() returns trigger language plpgsql as $$
begin
  insert into rollup_cost_queue values
    ((new.id / 4096 + 1704067200000) / 86400000, new.channel_id, new.model_name, new.quota, new.cost_nanos);
  return null;
end $$;

create trigger logs_cost after insert on logs for each row when (new.cost_nanos is not null)
execute function tollgate_queue_cost();

create function tollgate_fold_costs() returns bigint language plpgsql as $$
declare moved bigint;
begin
  if not pg_try_advisory_xact_lock(7081204) then return 0; end if;
  with taken as (delete from rollup_cost_queue returning *), folded as (
    insert into rollup_day_cost (day, channel_id, model_name, requests, quota, cost_nanos)
    select day, channel_id, model_name, count(*), sum(quota), sum(cost_nanos)
    from taken group by day, channel_id, model_name
    on conflict (day, channel_id, model_name) do update set
      requests = rollup_day_cost.requests + excluded.requests,
      quota = rollup_day_cost.quota + excluded.quota,
      cost_nanos = rollup_day_cost.cost_nanos + excluded.cost_nanos
  )
  select count(*) into moved from taken;
  return moved;
end $$;
`;

export const costs: Migration = {
  id: 58,
  name: "costs",
  sqlite: statements,
  postgres: [...statements, postgresQueue],
};
