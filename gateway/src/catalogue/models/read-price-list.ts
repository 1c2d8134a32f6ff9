/** Reads a price list from an address that root named. */
import type { PriceListFailure } from "@tollgate/contract/catalogue/price-offers.ts";
import { type Egress, EgressBlocked } from "../../egress/egress.ts";
import { ReplyTooLarge, requestText } from "../../egress/request-text.ts";
import {
  type OfferedPriceList,
  readPriceListText,
  UnreadablePriceList,
} from "./price-list-formats.ts";

/** Below the time that the console waits. */
const timeoutMs = 45_000;
/** LiteLLM's list has two million bytes. */
const replyBytesMax = 16 * 1024 * 1024;

export type PriceListReading = { list: OfferedPriceList } | { failure: PriceListFailure };

/** `FetchPriceList` reports a failure on the way as a result, not as an exception. */
export type FetchPriceList = (address: string, signal?: AbortSignal) => Promise<PriceListReading>;

export const createFetchPriceList =
  (egress: Pick<Egress, "pool" | "socketOptions">): FetchPriceList =>
  async (address, signal) => {
    const deadline = AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(timeoutMs)]);
    try {
      const headers = { accept: "application/json" };
      const request = { method: "GET", url: address, headers, body: null, replyBytesMax } as const;
      const { status, text } = await requestText(egress, request, deadline);
      if (status !== 200) return { failure: "status" };
      return { list: readPriceListText(text) };
    } catch (error) {
      return { failure: classifyFailure(error, deadline) };
    }
  };

function classifyFailure(error: unknown, { aborted }: AbortSignal): PriceListFailure {
  if (error instanceof EgressBlocked) return "forbidden";
  if (error instanceof UnreadablePriceList) return "unreadable";
  if (error instanceof ReplyTooLarge) return "too_large";
  return aborted ? "no_answer" : "unreachable";
}
