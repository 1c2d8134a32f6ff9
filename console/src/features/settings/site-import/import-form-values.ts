import {
  isCalendarDay,
  unlimitedUnitsDefault,
} from "@tollgate/contract/commands/import-defaults.ts";
import * as z from "zod/mini";
import { defineWholeNumber } from "../../../components/forms/whole-number.ts";

/** The form fields as the inputs hold them. */
export type ImportFormValues = {
  kind: "file" | "address";
  file?: File | undefined;
  address: string;
  name: string;
  /** Lines of NAME=value. */
  environment: string;
  /** Units. */
  unlimited_as: string;
  logs: boolean;
  /** A UTC day, or empty for the whole log. */
  logs_since: string;
  /** `log_address` is where the log is apart from the rest; empty where it is not. */
  log_address: string;
};

export const newImport: ImportFormValues = {
  kind: "file",
  address: "",
  name: "main",
  environment: "",
  unlimited_as: String(unlimitedUnitsDefault),
  logs: false,
  logs_since: "",
  log_address: "",
};

/**
 * LiteLLM's database is PostgreSQL, and its file is no SQLite database. A file by another name may
 * be its configuration.
 */
export const canBeLitellm = ({
  kind,
  file,
  address,
}: Pick<ImportFormValues, "kind" | "file" | "address">): boolean =>
  kind === "file"
    ? file !== undefined && !/\.(db3?|sqlite3?)$/i.test(file.name)
    : /^postgres(ql)?:/i.test(address.trim());

/** The translated validation messages. */
export type ImportFormMessages = { file: string; units: string; day: string };

/** `importFormSchema` neither checks nor sends fields that are not shown for the source. */
export function importFormSchema(messages: ImportFormMessages) {
  const units = defineWholeNumber(messages.units);
  return z.pipe(
    z
      .object({
        kind: z.enum(["file", "address"]),
        file: z.optional(z.custom<File>()),
        address: z.string().check(z.trim()),
        name: z.string().check(z.trim()),
        environment: z.string(),
        unlimited_as: z.string(),
        logs: z.boolean(),
        logs_since: z.string().check(z.trim()),
        log_address: z.string().check(z.trim()),
      })
      .check(
        z.refine(({ kind, file }) => kind === "address" || (file !== undefined && file.size > 0), {
          error: messages.file,
          path: ["file"],
        }),
        z.refine(
          (values) => !canBeLitellm(values) || z.safeParse(units, values.unlimited_as).success,
          {
            error: messages.units,
            path: ["unlimited_as"],
          },
        ),
        z.refine(
          ({ logs, logs_since }) => !logs || logs_since === "" || isCalendarDay(logs_since),
          {
            error: messages.day,
            path: ["logs_since"],
          },
        ),
      ),
    z.transform(({ file, ...values }) => {
      const { kind, address, name, environment, unlimited_as, logs, logs_since, log_address } =
        values;
      const isLitellm = canBeLitellm({ ...values, file });
      return {
        file: kind === "file" ? file : undefined,
        body: {
          kind,
          name,
          logs,
          ...(kind === "address" && { address }),
          ...(logs && logs_since !== "" && { logs_since }),
          ...(logs && log_address !== "" && { log_address }),
          ...(isLitellm && { unlimited_as: Number(unlimited_as) }),
          ...(isLitellm && environment !== "" && { environment }),
        },
      };
    }),
  );
}
export type ImportFormOutput = z.output<ReturnType<typeof importFormSchema>>;
