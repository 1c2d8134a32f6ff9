import type { MailTexts } from "./mail-texts.ts";

export const mailTextsJa: MailTexts = {
  verification: {
    subject: "確認コードのお知らせ",
    before: ["確認コードは次のとおりです。"],
    after: ["このコードは 10 分以内に一度だけ使えます。心当たりがない場合は、このメールを無視してください。"],
  },
  alreadyRegistered: {
    subject: "すでにアカウントをお持ちです",
    before: [
      "このメールアドレスに確認コードが請求されましたが、すでにアカウントで使われています。",
      "そのアカウントでログインするか、パスワードをリセットしてください。心当たりがない場合は、このメールを無視してください。",
    ],
  },
  passwordReset: {
    subject: "パスワードのリセット",
    before: ["次のリンクから新しいパスワードを設定してください。"],
    after: [
      "このリンクは 10 分以内に一度だけ使えます。心当たりがない場合は、このメールを無視してください。何も変更されていません。",
    ],
  },
  passwordChanged: {
    subject: "パスワードが変更されました",
    before: [
      "メールのリンクからアカウントのパスワードが変更され、すべてのセッションがログアウトされました。",
      "心当たりがない場合は、すぐにこのサーバーの運用者にお問い合わせください。",
    ],
  },
  addressChanged: {
    subject: "メールアドレスが変更されました",
    before: [
      "アカウントのメールアドレスが変更され、このアドレスは使われなくなりました。",
      "心当たりがない場合は、パスワードを変更し、すぐにこのサーバーの運用者にお問い合わせください。",
    ],
  },
  lowBalance: ({ username, left }) => ({
    subject: "残高が少なくなっています",
    before: [
      `アカウント ${username} の残高が ${left} になりました。`,
      "残高を使い切ると、トークンによる呼び出しは拒否されます。",
    ],
  }),
  tokenDisabled: ({ name }) => ({
    subject: "API キーが無効化されました",
    before: [`管理者が API キー「${name}」を無効化しました。`, "このキーを使うプログラムは拒否されます。"],
  }),
  tokenReplaced: ({ name }) => ({
    subject: "API キーが置き換えられました",
    before: [
      `管理者が API キー「${name}」を置き換えました。以前のキーは拒否されます。`,
      "ログインして新しいキーをコピーし、以前のキーを使っていたプログラムに設定してください。",
    ],
  }),
  notices: {
    channel_disabled: ({ channel, reason }) => ({
      subject: `チャネル ${channel} を無効化しました`,
      before: [`チャネル ${channel} は自動的に無効化されました。${reason}`],
    }),
    channel_enabled: ({ channel }) => ({
      subject: `チャネル ${channel} を有効化しました`,
      before: [`チャネル ${channel} はテストに合格したため、再び有効化されました。`],
    }),
    channel_key_disabled: ({ channel, place, hint, reason }) => ({
      subject: `チャネル ${channel} のキーを無効化しました`,
      before: [`チャネル ${channel} のキー ${place}（…${hint}）は自動的に無効化されました。${reason}`],
    }),
    call_not_covered: ({ channel, calls }) => ({
      subject: `チャネル ${channel}: 呼び出しの費用が確保額を超えました`,
      before: [
        `チャネル ${channel} の呼び出しの費用が、確保額、残高、許容される未払いの合計を超えました。残りは損失として処理され、金額はログに記録されています。1 日以内の該当する呼び出し: ${calls} 件。`,
      ],
    }),
    usage_capped: ({ channel }) => ({
      subject: `チャネル ${channel} の使用量を上限で課金しました`,
      before: [
        `チャネル ${channel} が 1 回の呼び出しではありえない使用量を報告したため、上限で課金しました。該当するログには usage_capped と記されています。`,
      ],
    }),
    quota_waits: ({ administrator, amount }) => ({
      subject: "クォータの発行が承認待ちです",
      before: [
        `管理者 ${administrator} が ${amount} を発行しようとしていますが、今日の AdminIssueLimit を超えています。「ユーザー」ページで承認または拒否してください。`,
      ],
    }),
  },
};
