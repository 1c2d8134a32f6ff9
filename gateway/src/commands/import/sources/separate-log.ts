/** A source whose log is in a database of its own, as LOG_SQL_DSN of the one-api family has it. */
import { openSource } from "./open-source.ts";
import { ImportRefused, type SourceTables } from "./source-tables.ts";

const logTable = "logs";

/**
 * The main database may hold a log too, from before the separation: it is not read. Closes `main`
 * where the log cannot be opened. `checkedAddress` is the log's, as of `openSource`.
 */
export async function addSeparateLog(
  main: SourceTables,
  logSource: string,
  checkedAddress?: string,
): Promise<SourceTables> {
  const log = await openLog(logSource, checkedAddress).catch(async (error: unknown) => {
    await main.close();
    throw error;
  });
  const holderOf = (table: string): SourceTables => (table === logTable ? log : main);
  return {
    label: `${main.label}, its log in ${log.label}`,
    columns: (table) => holderOf(table).columns(table),
    page: (page) => holderOf(page.table).page(page),
    async close() {
      await Promise.all([main.close(), log.close()]);
    },
  };
}

async function openLog(source: string, checkedAddress: string | undefined): Promise<SourceTables> {
  const log = await openSource(source, checkedAddress);
  if ((await log.columns(logTable)).has("id")) return log;
  await log.close();
  throw new ImportRefused(`${log.label} has no table ${logTable}`);
}
