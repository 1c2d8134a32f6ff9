/** Which provider stands behind each type of channel. */
import type { ChannelFormat, ChannelType } from "@tollgate/contract/channel-types.ts";
import { azure } from "./azure.ts";
import { cloudflare } from "./cloudflare.ts";
import type { Provider } from "./provider.ts";
import { spark } from "./spark.ts";
import { anthropic, gemini, openAi } from "./usual.ts";

/** Nobody is there any more, or nobody could say how to talk to it. */
const unserved: Provider = { entries: () => ({}), credentials: () => [] };

const byFormat: Readonly<Partial<Record<ChannelFormat, Provider>>> = { openai: openAi, anthropic, gemini };

const byType: Readonly<Record<number, Provider>> = {
  3: azure,
  18: spark,
  37: cloudflare,
};

export const providerOf = ({ id, format }: ChannelType): Provider => byType[id] ?? byFormat[format] ?? unserved;
