import { type AlertRuleName, severities } from "@tollgate/contract/notices/alert-rule-table.ts";
import {
  type DestinationKind,
  destinationKinds,
  type NoticeDestination,
} from "@tollgate/contract/notices/destinations.ts";
import { usualNoticeTemplate } from "@tollgate/contract/notices/notice-templates.ts";
import { languageCodes } from "@tollgate/contract/site/languages.ts";
import * as z from "zod/mini";

/** The form fields as the inputs hold them. */
export type DestinationFormValues = {
  kind: string;
  name: string;
  address: string;
  secret: string;
  recipient: string;
  headers: string;
  template: string;
  severity: string;
  language: string;
};

export const newDestination: DestinationFormValues = {
  kind: "mail",
  name: "",
  address: "",
  secret: "",
  recipient: "",
  headers: "",
  template: usualNoticeTemplate,
  severity: "info",
  language: "",
};

export const buildDestinationForm = ({
  kind,
  name,
  severity,
  language,
}: NoticeDestination): DestinationFormValues => ({
  ...newDestination,
  kind,
  name,
  severity,
  language,
});

type TargetField = "address" | "secret" | "recipient" | "headers" | "template";

/** `fieldsOfKind` is what each kind asks for; the gateway decides whether it is enough. */
export const fieldsOfKind: Record<DestinationKind, readonly TargetField[]> = {
  mail: ["address"],
  webhook: ["address"],
  slack: ["address"],
  discord: ["address"],
  feishu: ["address", "secret"],
  dingtalk: ["address", "secret"],
  wecom: ["address"],
  telegram: ["secret", "recipient"],
  ntfy: ["address", "secret"],
  custom: ["address", "headers", "template"],
};

export function defineDestinationFormSchema(nameMissing: string) {
  return z.object({
    kind: z.enum(destinationKinds),
    name: z.string().check(z.trim(), z.minLength(1, nameMissing)),
    address: z.string().check(z.trim()),
    secret: z.string().check(z.trim()),
    recipient: z.string().check(z.trim()),
    headers: z.string(),
    template: z.string(),
    severity: z.enum(severities),
    language: z.enum(["", ...languageCodes]),
  });
}
export type DestinationFormOutput = z.output<ReturnType<typeof defineDestinationFormSchema>>;

/** `buildTarget` leaves out the values that belong to a field of another kind. */
export const buildTarget = ({ kind, ...values }: DestinationFormOutput) =>
  Object.fromEntries(fieldsOfKind[kind].map((name) => [name, values[name]]));

export const buildToggledRule = (
  rules: readonly AlertRuleName[],
  rule: AlertRuleName,
): AlertRuleName[] =>
  rules.includes(rule) ? rules.filter((one) => one !== rule) : [...rules, rule];
