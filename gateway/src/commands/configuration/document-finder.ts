/** The rows of the objects of a configuration document, and the names that an export gives them. */
import { refuse } from "../../http/refusal.ts";

/** `NamedInDocument` is what a document says of an object to find it again. */
export interface NamedInDocument {
  name: string;
  externalId?: string | undefined;
}

export const readIdentity = ({ externalId, name }: NamedInDocument): string => externalId ?? name;

export interface FoundByDocument {
  uuid: string;
  name: string;
  external_id: string | null;
}

/**
 * `createDocumentFinder` goes by external id; else it takes one without an external id by its uuid
 * or by its name, as an export writes it.
 */
export function createDocumentFinder<Row extends FoundByDocument>(
  rows: readonly Row[],
): (wanted: NamedInDocument) => Row | undefined {
  const unnamed = rows.filter(({ external_id }) => external_id === null);
  const byExternalId = new Map(
    rows.flatMap((row) => (row.external_id === null ? [] : [[row.external_id, row]])),
  );
  const byUuid = new Map(unnamed.map((row) => [row.uuid, row]));
  const byName = Map.groupBy(unnamed, ({ name }) => name);
  return (wanted) => {
    const identity = readIdentity(wanted);
    const found = byExternalId.get(identity) ?? byUuid.get(identity);
    if (found || wanted.externalId !== undefined) return found;
    const [first, ...others] = byName.get(identity) ?? [];
    if (others.length > 0) throw refuse("configuration_ambiguous");
    return first;
  };
}

/**
 * `makeDocumentIds` is for an export: by which `createDocumentFinder` finds each row, its uuid
 * where the name alone does not.
 */
export function makeDocumentIds(
  rows: readonly FoundByDocument[],
): (row: FoundByDocument) => string {
  const names = Map.groupBy(
    rows.filter(({ external_id }) => external_id === null),
    ({ name }) => name,
  );
  return ({ external_id, name, uuid }) =>
    external_id ?? (names.get(name)?.length === 1 ? name : uuid);
}
