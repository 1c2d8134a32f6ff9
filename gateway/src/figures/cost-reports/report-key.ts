/** The report key of a channel: write-only, sealed, and sent to one destination only. */
import type { Sealer } from "../../secrets/seal.ts";

const purpose = "report-key";
const composeContext = (uuid: string) => `cost_reports/key_sealed/${uuid}` as const;
const hintChars = 4;

export const sealReportKey = (seal: Sealer, uuid: string, key: string): string =>
  seal.seal(purpose, composeContext(uuid), key);

/** Only `read-cost-report.ts` may use it. */
export const openReportKey = (
  seal: Sealer,
  { channel_uuid, key_sealed }: { channel_uuid: string; key_sealed: string },
): string => seal.open(purpose, composeContext(channel_uuid), key_sealed);

export const reportKeyHint = (key: string): string => key.slice(-hintChars);
