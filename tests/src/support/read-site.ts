import { openFamilySource } from "@tollgate/gateway/commands/import/family/family-source.ts";
import type { SourceTables } from "@tollgate/gateway/commands/import/sources/source-tables.ts";

/** Everything that an import reads of a site, and its lines. Closes the source. */
export async function readSite(tables: SourceTables): Promise<Record<string, unknown>> {
  try {
    const source = await openFamilySource(tables, { now: 1 });
    const all = async (pages: AsyncIterable<readonly unknown[]>): Promise<unknown[]> => {
      const rows = [];
      for await (const page of pages) rows.push(...page);
      return rows;
    };
    const options = (await all(source.options())) as { sourceId: string }[];
    return {
      system: source.system,
      // By key, whose order is the database's own.
      options: options.sort((a, b) => a.sourceId.localeCompare(b.sourceId)),
      ratios: await source.groupRatios(),
      users: await all(source.users()),
      channels: await all(source.channels()),
      tokens: await all(source.tokens()),
      codes: await all(source.codes()),
    };
  } finally {
    await tables.close();
  }
}
