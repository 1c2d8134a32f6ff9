/** The adapter of each type of channel. */
import {
  type ChannelFormat,
  type ChannelType,
  channelTypeIds as ids,
} from "@tollgate/contract/catalogue/channel-types.ts";
import { aiProxyLibrary } from "./ai-proxy-library.ts";
import { azure } from "./azure.ts";
import { baidu } from "./baidu.ts";
import { bedrock } from "./bedrock.ts";
import { cloudflare } from "./cloudflare.ts";
import { copilot } from "./copilot.ts";
import { coze } from "./coze.ts";
import { deepl } from "./deepl.ts";
import type { ProviderAdapter } from "./provider.ts";
import { replicate } from "./replicate.ts";
import { spark } from "./spark.ts";
import { anthropic, gemini, openAi } from "./standard-providers.ts";
import { tencent } from "./tencent.ts";
import { vertex } from "./vertex.ts";

/** Types whose provider has closed or published no API. */
const unserved: ProviderAdapter = { endpoints: () => ({}), credentials: () => [] };

const byFormat: Readonly<Partial<Record<ChannelFormat, ProviderAdapter>>> = {
  openai: openAi,
  anthropic,
  gemini,
  bedrock,
  vertex,
};

const byType: Readonly<Record<number, ProviderAdapter>> = {
  [ids.azure]: azure,
  [ids.baidu]: baidu,
  [ids.spark]: spark,
  [ids.library]: aiProxyLibrary,
  [ids.tencent]: tencent,
  [ids.coze]: coze,
  [ids.cloudflare]: cloudflare,
  [ids.deepL]: deepl,
  [ids.replicate]: replicate,
  [ids.copilot]: copilot,
};

export const buildProvider = ({ id, format }: ChannelType): ProviderAdapter =>
  byType[id] ?? byFormat[format] ?? unserved;
