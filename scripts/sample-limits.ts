/**
 * Budgets, virtual models and a server of tools of the sample site, as plain data and the calls
 * that create them.
 */
import type { BudgetTemplateInput } from "@tollgate/contract/accounts/budget-templates.ts";
import type { BudgetInput } from "@tollgate/contract/accounts/budgets.ts";
import type { VirtualModelInput } from "@tollgate/contract/catalogue/virtual-models.ts";
import type { SampleApiClient } from "./sample-api.ts";
import type { SampleHistorySite } from "./sample-settle.ts";
import { dollars } from "./sample-site.ts";

type SampleBudget = Pick<BudgetInput, "name" | "subject" | "window" | "amount"> &
  Partial<Pick<BudgetInput, "hard" | "model">> & { username?: string; token?: string };

/** The hard ones are far above what running calls hold: none of the sample calls is refused. */
const budgets: readonly SampleBudget[] = [
  { name: "All teams", subject: "site", window: "month", amount: dollars(60), hard: false },
  {
    name: "Support desk",
    subject: "user",
    username: "support",
    window: "month",
    amount: dollars(2),
    hard: false,
  },
  {
    name: "Weekly allowance",
    subject: "user",
    username: "amelie",
    window: "week",
    amount: dollars(10),
  },
  { name: "Research", subject: "user", username: "research", window: "month", amount: dollars(25) },
  {
    name: "Coding agents",
    subject: "token",
    token: "Coding agents",
    window: "month",
    amount: dollars(75),
  },
  {
    name: "Largest model",
    subject: "model",
    model: "claude-opus-5",
    window: "month",
    amount: dollars(8),
    hard: false,
  },
];

const template: Pick<BudgetTemplateInput, "name" | "subject" | "window" | "amount"> = {
  ...{ name: "Five dollars a day", subject: "token", window: "day", amount: dollars(5) },
};

const virtualModels: readonly Pick<VirtualModelInput, "name" | "tiers">[] = [
  {
    name: "assistant",
    tiers: [
      {
        strategy: "fastest",
        targets: [weighted("gpt-5.4-mini", 1), weighted("claude-haiku-4-5", 1)],
      },
      { strategy: "cheapest", targets: [weighted("gpt-5.6-luna", 1)] },
    ],
  },
  {
    name: "coder",
    tiers: [
      { strategy: "weights", targets: [weighted("gpt-5.2", 90), weighted("claude-sonnet-5", 10)] },
    ],
  },
];

/** Nothing answers there: the tools are listed here. */
const toolServer = {
  name: "tickets",
  description: "Search, read and answer tickets of the support desk",
  url: "https://mcp.example.com/tickets",
  tools: ["search_tickets", "read_ticket", "add_reply"],
  call_price: dollars(0.001),
};

function weighted(model: string, weight: number) {
  return { model, weight };
}

export async function addSampleLimits(
  root: SampleApiClient,
  { people, tokens }: Pick<SampleHistorySite, "people" | "tokens">,
): Promise<void> {
  for (const { username, token, ...budget } of budgets) {
    const subject = username === undefined ? tokens.get(token ?? "") : people.get(username);
    await root("POST", "/api/budget/", { ...budget, ...(subject && { subject_id: subject.id }) });
  }
  await root("POST", "/api/budget_template/", template);
  for (const model of virtualModels) await root("POST", "/api/virtual_model/", model);
  await root("POST", "/api/mcp_server/", toolServer);
}
