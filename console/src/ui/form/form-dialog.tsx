import { Trans } from "@lingui/react/macro";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { createPortal } from "react-dom";
import { type FieldValues, FormProvider, type UseFormReturn } from "react-hook-form";
import { Alert } from "../alert.tsx";
import { Button } from "../button.tsx";
import { Dialog } from "../menu/dialog.tsx";
import type { ContractForm } from "./form-contract.ts";

type FormDialogProps<In extends FieldValues> = {
  form: ContractForm<In>;
  title: ReactNode;
  /** The label of the submit button. */
  submit: ReactNode;
  onClose: () => void;
  children: ReactNode;
};

/** A form in a dialog, with the focus on the first field. */
export function FormDialog<In extends FieldValues>({
  form,
  title,
  submit,
  onClose,
  children,
}: FormDialogProps<In>) {
  const id = useId();
  const fields = useRef<HTMLFormElement>(null);
  useEffect(
    () => fields.current?.querySelector<HTMLElement>("input, select, textarea")?.focus(),
    [],
  );
  // A portal, because the row around it would pass on its text style and events.
  return createPortal(
    <Dialog
      open
      onClose={onClose}
      locked={form.isBusy}
      keepsInput={form.isDirty}
      title={title}
      footer={
        <>
          <Button onClick={onClose} disabled={form.isBusy}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" form={id} variant="primary" busy={form.isBusy}>
            {submit}
          </Button>
        </>
      }
    >
      <FormProvider {...(form.methods as unknown as UseFormReturn<FieldValues>)}>
        <form
          ref={fields}
          id={id}
          noValidate
          onSubmit={form.submit}
          className="flex flex-col gap-5"
        >
          {children}
          {form.refusal !== undefined && (
            <Alert title={form.refusal.message} requestId={form.refusal.requestId} />
          )}
        </form>
      </FormProvider>
    </Dialog>,
    document.body,
  );
}
