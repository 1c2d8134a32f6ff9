import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { updateChannelProxy } from "@tollgate/contract/catalogue/channel-proxies.ts";
import type { Channel } from "@tollgate/contract/catalogue/channels.ts";
import * as z from "zod/mini";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { toastError } from "../../components/toast-failure.ts";
import { Button } from "../../ui/button.tsx";
import { PasswordField } from "../../ui/form/field-text.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { toast } from "../../ui/toast.tsx";

type ChannelProxyDialogProps = {
  channel: Channel;
  /** The address of the present proxy without its password; empty for that of the settings. */
  hint: string;
  onSaved: (hint: string) => void;
  onClose: () => void;
};

export function ChannelProxyDialog({ channel, hint, onSaved, onClose }: ChannelProxyDialogProps) {
  const { t } = useLingui();
  const update = useMutation(api.mutation(updateChannelProxy, {}));
  const { name } = channel;
  const save = async (proxy: string) => {
    const { data } = await update.mutateAsync({
      params: { id: readEntityRef(channel) },
      body: { proxy },
    });
    toast(proxy === "" ? t`${name} uses the proxy of the settings` : t`${name} uses this proxy`);
    onSaved(data.proxy_hint);
    onClose();
  };
  const form = useContractForm({
    schema: z.object({
      proxy: z.string().check(z.trim(), z.minLength(1, t`Please enter the address of the proxy`)),
    }),
    initial: { proxy: "" },
    onSubmit: ({ proxy }) => save(proxy),
  });
  return (
    <FormDialog
      form={form}
      title={t`Outbound proxy of ${name}`}
      submit={<Trans>Save</Trans>}
      onClose={onClose}
    >
      <PasswordField
        {...form.field("proxy")}
        label={t`Address of the proxy`}
        required
        help={t`http://, https:// or socks5://, then user:password@host:port. It is sealed and never shown.`}
      />
      <p className="text-muted text-sm">
        <Trans>
          Calls, tests, balances and cost reports of this channel go through it. Private hosts that
          the operator allows are called directly.
        </Trans>
      </p>
      {hint !== "" && (
        <Button
          className="self-start"
          busy={update.isPending}
          onClick={() => void save("").catch(toastError)}
        >
          <Trans>Use the proxy from Settings</Trans>
        </Button>
      )}
    </FormDialog>
  );
}
