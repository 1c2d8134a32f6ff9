/**
 * The values of custom headers: write-only, sealed, and bound to one destination as the key is.
 * Among the settings of the channel only their names remain.
 */

import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import { headerMask, isHeaderMask } from "@tollgate/contract/catalogue/channel-overrides.ts";
import { refuse } from "../../http/refusal.ts";
import type { Sealer } from "../../secrets/seal.ts";

/** `HeaderValues` go by name in lower case: header names have no case. */
export type HeaderValues = Readonly<Record<string, string>>;

interface HeaderSplit {
  /** The settings with a mask for each value. */
  config: string;
  values: HeaderValues;
}

const purpose = "channel-headers";
const composeContext = (uuid: string) => `channels/headers_sealed/${uuid}` as const;
const member = "custom_headers";

export const sealHeaderValues = (seal: Sealer, uuid: string, values: HeaderValues): string =>
  Object.keys(values).length === 0
    ? ""
    : seal.seal(purpose, composeContext(uuid), JSON.stringify(values));

interface SealedHeaders {
  uuid: string;
  headers_sealed: string;
}

export const openHeaderValues = (
  seal: Sealer,
  { uuid, headers_sealed }: SealedHeaders,
): HeaderValues =>
  headers_sealed === ""
    ? {}
    : (JSON.parse(seal.open(purpose, composeContext(uuid), headers_sealed)) as HeaderValues);

/**
 * Takes the values out of the settings. A mask keeps the value in `stored`. If there is none, the
 * edit is refused, because the mask would be sent to the provider.
 */
export function splitHeaders(
  config: string,
  stored: HeaderValues,
  onMissing = refuseMask,
): HeaderSplit {
  const headers = parseHeaders(config);
  if (headers === undefined) return { config, values: {} };
  const values = Object.entries(headers)
    .filter((header): header is [string, string] => typeof header[1] === "string")
    .map(([name, shown]) => [
      name.toLowerCase(),
      isHeaderMask(shown) ? (stored[name.toLowerCase()] ?? onMissing(name, shown)) : shown,
    ]);
  const masked = fillValues(config, headers, (_, shown) =>
    typeof shown === "string" ? headerMask : shown,
  );
  return { config: masked, values: Object.fromEntries(values) };
}

function refuseMask(name: string, _shown: string): string {
  const message = `Please enter the value of header ${name} again`;
  throw refuse("channel_header_required", { fields: { config: message } });
}

/** The settings with the values in their places. Only the relay may use it. */
export function openHeaders<Row extends SealedHeaders & { config: string }>(
  seal: Sealer,
  row: Row,
): Row {
  const headers = parseHeaders(row.config);
  if (headers === undefined || row.headers_sealed === "") return row;
  const values = openHeaderValues(seal, row);
  return {
    ...row,
    config: fillValues(row.config, headers, (name, shown) => values[name.toLowerCase()] ?? shown),
  };
}

function parseSettings(config: string): Record<string, unknown> {
  const settings: unknown = config === "" ? {} : JSON.parse(config);
  return isJsonRecord(settings) ? settings : {};
}

/** Undefined where there are none: the text of the settings then stays as it is. */
function parseHeaders(config: string): Record<string, unknown> | undefined {
  const headers = parseSettings(config)[member];
  return isJsonRecord(headers) && Object.keys(headers).length > 0 ? headers : undefined;
}

function fillValues(
  config: string,
  headers: Record<string, unknown>,
  replaced: (name: string, shown: unknown) => unknown,
): string {
  const shown = Object.entries(headers).map(([name, value]) => [name, replaced(name, value)]);
  return JSON.stringify({ ...parseSettings(config), [member]: Object.fromEntries(shown) });
}
