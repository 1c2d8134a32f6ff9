import { type RawBuilder, sql as raw } from "kysely";

interface GivenColumn {
  type: "bigint" | "text";
  values: readonly (string | number)[];
}

/**
 * Rows that a statement brings along, to be named after `from` or `join`: at least one, in columns
 * of equal length.
 */
export function selectValuesTable(
  name: string,
  columns: Readonly<Record<string, GivenColumn>>,
): RawBuilder<unknown> {
  const given = Object.values(columns);
  // Both databases name the columns of a list of values so.
  const names = Object.keys(columns).map(
    (column, place) => raw`${raw.raw(`column${place + 1}`)} as ${raw.ref(column)}`,
  );
  const rows = Array.from({ length: given[0]?.values.length ?? 0 }, (_, row) => {
    // PostgreSQL takes a parameter without a type for text.
    const cells = given.map(({ type, values }) => raw`cast(${values[row]} as ${raw.raw(type)})`);
    return raw`(${raw.join(cells)})`;
  });
  return raw`(select ${raw.join(names)} from (values ${raw.join(rows)}) as listed) as ${raw.ref(name)}`;
}
