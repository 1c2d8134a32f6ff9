/**
 * W3C Trace Context (https://www.w3.org/TR/trace-context/): what a client says about the trace that
 * its call belongs to. Pure.
 */

export interface TraceParent {
  /** 32 and 16 hexadecimal digits in lower case, neither of them all zeros. */
  traceId: string;
  spanId: string;
  isSampled: boolean;
  /** The `tracestate` as received; empty without a valid one. */
  state: string;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const invalidVersion = "ff";
/** Later versions may add members behind the flags; this one has none. */
const ownVersion = "00";
const zeros = /^0+$/;
const sampledFlag = 1;
/** No longer header is a trace context, whatever a later version adds. */
const parentLengthMax = 256;
/** A receiver must pass on this much; what is longer may be dropped as a whole. */
const stateLengthMax = 512;
const stateMembersMax = 32;
const stateMember = /^[a-z0-9][a-z0-9_*/@-]{0,255}=[\x21-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;

/**
 * Undefined for anything that the specification calls invalid; two headers of the name arrive as
 * one text, which is.
 */
export function parseTraceParent(
  parent: string,
  state: string | undefined,
): TraceParent | undefined {
  if (parent.length > parentLengthMax) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", more] = form.exec(parent) ?? [];
  if (version === undefined || version === invalidVersion) return undefined;
  if (version === ownVersion && more !== undefined) return undefined;
  if (zeros.test(traceId) || zeros.test(spanId)) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & sampledFlag) === sampledFlag;
  return {
    traceId,
    spanId,
    isSampled,
    state: state !== undefined && isTraceState(state) ? state : "",
  };
}

export const traceParentText = (traceId: string, spanId: string, isSampled: boolean): string =>
  `${ownVersion}-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;

function isTraceState(state: string): boolean {
  if (state.length > stateLengthMax) return false;
  const members = state.split(",").map((member) => member.trim());
  return (
    members.length <= stateMembersMax &&
    members.some((member) => member !== "") &&
    members.every((member) => member === "" || stateMember.test(member))
  );
}

/**
 * `isTraceInRatio` says whether a trace is among the share of `ratio`, from 0 to 1. As in
 * OpenTelemetry's consistent sampling, the end of the id is the random number, so that every
 * program that reads the same ratio decides alike. 32 of its 56 bits are enough.
 */
export const isTraceInRatio = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(18, 26), 16) >= (1 - ratio) * 2 ** 32;
