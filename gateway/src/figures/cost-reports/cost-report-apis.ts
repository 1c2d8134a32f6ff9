/**
 * The cost APIs of providers: what is asked, and what their answers say. Pure. Read from the
 * published references on 2026-11-22: OpenAI `/v1/organization/usage/…` and
 * `/v1/organization/costs`, Anthropic `/v1/organizations/usage_report/messages` and
 * `/v1/organizations/cost_report`, OpenRouter `/api/v1/activity`. All of them count UTC days and US
 * dollars.
 */
import { channelTypeIds as ids } from "@tollgate/contract/catalogue/channel-types.ts";
import * as z from "zod/mini";
import { anthropic } from "./anthropic-cost-report.ts";
import {
  amount,
  type CostReportApi,
  cleanName,
  dayOfText,
  formatDollars,
  optionalCount,
  optionalName,
  parse,
} from "./cost-report-question.ts";
import { openAi } from "./openai-cost-report.ts";

const openRouterActivity = z.object({
  data: z.array(
    z.object({
      date: dayOfText,
      model: optionalName,
      /** Dollars of credit. */
      usage: amount,
      requests: optionalCount,
      prompt_tokens: optionalCount,
      completion_tokens: optionalCount,
    }),
  ),
});

const openRouter: CostReportApi = {
  hasToday: false,
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  // One answer has the last 30 finished days.
  questions: ({ firstDay, lastDay }, scope) => [
    {
      path: "/v1/activity",
      query: scope === "" ? [] : [["api_key_hash", scope]],
      read: (reply) => {
        const lines = parse(openRouterActivity, reply).data.map(
          ({ date, model, usage, requests, prompt_tokens, completion_tokens }) => ({
            day: date,
            model: cleanName(model),
            requests: requests ?? 0,
            promptTokens: prompt_tokens ?? 0,
            completionTokens: completion_tokens ?? 0,
            dollars: formatDollars(usage, "usd"),
          }),
        );
        return {
          lines: lines.filter(({ day }) => day >= firstDay && day <= lastDay),
          next: undefined,
        };
      },
    },
  ],
};

/** `apis` goes by channel type: the types of `hasCostReport`. */
const apis: Readonly<Record<number, CostReportApi>> = {
  [ids.openAi]: openAi,
  [ids.anthropic]: anthropic,
  [ids.openRouter]: openRouter,
};

export const findCostReportApi = (type: number): CostReportApi | undefined => apis[type];
