import { firstRollupTables, histogramBoundsMs, histogramBuckets, measureColumns } from "../rollups.ts";

const bucket = (column: string, index: number, condition: string): string =>
  `count(*) filter (where ${condition} and width_bucket(${column}, array[${histogramBoundsMs.join(",")}]::bigint[]) = ${index})`;

const indices = Array.from({ length: histogramBuckets }, (_, index) => index);

/** One aggregate per measure column, in the order of `measureColumns` and with the meaning of `countCall`. */
const aggregates = [
  "count(*)",
  "sum(failed)",
  "sum(quota)",
  "sum(prompt_tokens)",
  "sum(completion_tokens)",
  "sum(cached_prompt_tokens)",
  "sum(cache_write_tokens)",
  "count(*) filter (where cached_prompt_tokens > 0)",
  "coalesce(sum(quota) filter (where cached_prompt_tokens > 0), 0)",
  "coalesce(sum(elapsed_ms) filter (where failed = 0), 0)",
  "sum(ttft_ms)",
  ...indices.map((index) => bucket("elapsed_ms", index, "failed = 0")),
  ...indices.map((index) => bucket("ttft_ms", index, "ttft_ms > 0")),
].join(", ");

const increments = (table: string): string =>
  measureColumns.map((column) => `${column} = ${table}.${column} + excluded.${column}`).join(", ");

interface RollupTable {
  table: string;
  keys: readonly string[];
}

const foldOf = ({ table, keys }: RollupTable): string => {
  const columns = [...keys, ...measureColumns].join(", ");
  return `${table}_fold as (
    insert into ${table} (${columns}) select ${keys.join(", ")}, ${aggregates} from taken group by ${keys.join(", ")}
    on conflict (${keys.join(", ")}) do update set ${increments(table)}
  )`;
};

/** Counts what is queued and empties the queue in one statement; answers how many calls it moved. */
export const foldInto = (
  tables: readonly RollupTable[],
): string => `create function tollgate_fold_rollups() returns bigint language plpgsql as $$
declare moved bigint;
begin
  -- One writer at a time, whichever node it is; the others have nothing to do.
  if not pg_try_advisory_xact_lock(7081201) then return 0; end if;
  with taken as (delete from rollup_queue returning *),
  ${tables.map(foldOf).join(",\n  ")},
  channels_fold as (
    update channels set used_quota = channels.used_quota + spent.quota
    from (select channel_id, sum(quota) as quota from taken group by channel_id) spent
    where channels.id = spent.channel_id and spent.quota > 0
  )
  select count(*) into moved from taken;
  return moved;
end $$`;

export const foldRollups = foldInto(firstRollupTables);
