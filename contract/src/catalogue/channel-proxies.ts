/** The outbound proxy of one channel. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { byId } from "../api/ids.ts";
import { line } from "../api/scalars.ts";
import { channel } from "./channels.ts";

/** Root alone, in person: all traffic of the channel goes where this leads. */
export const updateChannelProxy = endpoint("PUT", "/api/channel/:id/proxy", {
  access: "root",
  scope: "none",
  summary: "Lead all requests of one channel through a proxy of its own",
  params: byId,
  /**
   * `http://`, `https://` or `socks5://`, then `user:password@host:port`; empty for the proxy of
   * the settings.
   */
  body: z.object({ proxy: line(1_000) }),
  data: channel,
});
