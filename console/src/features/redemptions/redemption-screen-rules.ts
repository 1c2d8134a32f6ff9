/** Pure functions of the redemption pages. */
import { type Redemption, redemptionStatus } from "@tollgate/contract/accounts/redemptions.ts";

/** A used code is final: its status and fields cannot change. */
export const isUsed = ({ status }: Pick<Redemption, "status">): boolean =>
  status === redemptionStatus.used;

/** A file name for the codes, without characters that file systems refuse. */
export function formatCodesFileName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+|[.-]+$/g, "");
  return `codes${plain === "" ? "" : `-${plain}`}.txt`;
}
