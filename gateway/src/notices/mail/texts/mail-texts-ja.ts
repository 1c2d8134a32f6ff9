import type { MailTexts } from "./mail-texts.ts";

export const mailTextsJa: MailTexts = {
  verification: {
    subject: "確認コードのお知らせ",
    before: ["確認コードは次のとおりです。"],
    after: [
      "このコードは 10 分以内に一度だけ使えます。心当たりがない場合は、このメールを無視してください。",
    ],
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
  passwordChanged: ({ isByLink, passkeys }) => ({
    subject: "パスワードが変更されました",
    before: [
      isByLink
        ? "メールのリンクからアカウントのパスワードが変更され、すべてのセッションがログアウトされました。"
        : "アカウントのパスワードが変更され、他のすべてのセッションがログアウトされました。",
      ...(passkeys === ""
        ? []
        : [
            `次のパスキーは引き続きパスワードなしでサインインできます: ${passkeys}。心当たりのないものはアカウントで削除してください。`,
          ]),
      "心当たりがない場合は、すぐにこのサーバーの運用者にお問い合わせください。",
    ],
  }),
  addressChanged: {
    subject: "メールアドレスが変更されました",
    before: [
      "アカウントのメールアドレスが変更され、このアドレスは使われなくなりました。",
      "心当たりがない場合は、パスワードを変更し、すぐにこのサーバーの運用者にお問い合わせください。",
    ],
  },
  passkeyCopied: ({ name }) => ({
    subject: "パスキーが拒否されました",
    before: [
      `パスキー「${name}」によるアカウントへのログインを拒否しました。デバイスのカウンターが以前より小さく、複製された可能性があります。`,
      "別の方法でログインし、個人設定でこのパスキーを削除して、新しいパスキーを追加してください。",
    ],
  }),
  providerLink: ({ provider, username }) => ({
    subject: "ログインの連携",
    before: [
      `${provider} でログインされました。このメールアドレスはアカウント ${username} に登録されています。次のコードで両者を連携できます。`,
    ],
    after: [
      "このコードは 10 分以内に一度だけ使えます。今ログインしていない場合は、このメールを無視し、コードを誰にも教えないでください。",
    ],
  }),
  providerLinked: ({ provider }) => ({
    subject: "アカウントに ID プロバイダーが連携されました",
    before: [
      `${provider} でのログインが、プロバイダーの確認したメールアドレスからお客様のアカウントを見つけました。今後はこの方法でログインできます。`,
      "心当たりがない場合は、このサーバーの管理者にお知らせください。",
    ],
  }),
  teamInvitation: ({ team, inviter, days }) => ({
    subject: `チーム ${team} への招待`,
    before: [
      `${inviter} さんがチーム ${team} に招待しています。チームのメンバーは API 呼び出しの残高を共有します。`,
    ],
    after: [
      `リンクは ${days} 日間、一度だけ、このメールアドレスのアカウントで有効です。`,
      "送信者に心当たりがない場合は、このメールを無視してください。返答しない限り何も起こりません。",
    ],
  }),
  lowBalance: ({ username, left }) => ({
    subject: "残高が少なくなっています",
    before: [
      `アカウント ${username} の残高が ${left} になりました。`,
      "残高を使い切ると、トークンによる呼び出しは拒否されます。",
    ],
  }),
  tokenDisabled: ({ name }) => ({
    subject: "API キーが無効化されました",
    before: [
      `管理者が API キー「${name}」を無効化しました。`,
      "このキーを使うプログラムは拒否されます。",
    ],
  }),
  tokenPaused: ({ name }) => ({
    subject: "API キーが一時停止されました",
    before: [
      `管理者が API キー「${name}」を一時停止しました。`,
      "誰かが再開するまで、このキーを使うプログラムは拒否されます。",
    ],
  }),
  keysPaused: ({ budget }) => ({
    subject: "予算により API キーが一時停止されました",
    before: [
      `予算「${budget}」を使い切ったため、その対象の API キーが一時停止されました。`,
      "誰かが再開するまで、これらのキーを使うプログラムは拒否されます。",
    ],
  }),
  budgetAsked: ({ budget, username, amount, reason }) => ({
    subject: `${username} さんが予算 ${budget} の追加を求めています`,
    before: [
      `${username} さんが、予算「${budget}」の現在の期間に ${amount} の追加を求めています。`,
      ...(reason === "" ? [] : [`理由：${reason}`]),
    ],
    after: ["追加分は期間の終わりに失効します。"],
  }),
  budgetAnswered: ({ budget, granted }) =>
    granted === null
      ? {
          subject: `予算 ${budget} の追加は認められませんでした`,
          before: [`予算「${budget}」の現在の期間には何も追加されませんでした。`],
        }
      : {
          subject: `予算 ${budget} が追加されました`,
          before: [`現在の期間に、予算「${budget}」からさらに ${granted} を使えます。`],
        },
  keyPausedBySpike: ({ key, spent, usual }) => ({
    subject: "API キーが一時停止されました",
    before: [
      `API キー「${key}」は一時停止されました。本日（UTC）の支出は ${spent} で、普段の 1 日は ${usual} です。`,
      "誰かが再開するまで、このキーを使うプログラムは拒否されます。",
    ],
  }),
  tokenReplaced: ({ name }) => ({
    subject: "API キーが置き換えられました",
    before: [
      `管理者が API キー「${name}」を置き換えました。以前のキーは拒否されます。`,
      "ログインして新しいキーをコピーし、以前のキーを使っていたプログラムに設定してください。",
    ],
  }),
  tokenRotated: ({ name, end }) => ({
    subject: "API キーが新しくなりました",
    before: [
      `アカウントから API キー「${name}」が新しい値に変更されました。`,
      end === null
        ? "以前のキーはただちに拒否されます。"
        : `以前のキーは ${end} まで使えます。それまでに新しいキーをプログラムに設定してください。`,
    ],
    after: ["心当たりがない場合は、パスワードを変更し、キーを無効化してください。"],
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
    channel_suspended: ({ channel, model, reason, minutes }) => ({
      subject: `チャネル ${channel} を一時停止しています`,
      before: [
        `チャネル ${channel} への ${model} の呼び出しが ${minutes} 分間失敗しています（${reason}）。ほかのチャネルが応答できる間はこのチャネルを避け、ときどき試します。`,
      ],
    }),
    channel_key_disabled: ({ channel, place, hint, reason }) => ({
      subject: `チャネル ${channel} のキーを無効化しました`,
      before: [
        `チャネル ${channel} のキー ${place}（…${hint}）は自動的に無効化されました。${reason}`,
      ],
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
        `管理者 ${administrator} が ${amount} を発行しようとしていますが、今日の AdminIssueLimit を超えています。`,
      ],
    }),
    budget_asked: ({ username, budget, amount }) => ({
      subject: `${username} さんが予算 ${budget} の追加を求めています`,
      before: [
        `${username} さんが、予算「${budget}」の現在の期間に ${amount} の追加を求めています。`,
      ],
    }),
    team_without_admin: ({ team }) => ({
      subject: `チーム ${team} の管理者がいなくなりました`,
      before: [
        `チーム ${team} には、アカウントが有効なチーム管理者がいません。キーは引き続き使えますが、メンバー、キー、予算を管理できる人がチームにいません。`,
      ],
    }),
    channel_balance_low: ({ channel, dollars }) => ({
      subject: `チャネル ${channel} の残高が少なくなっています`,
      before: [
        `チャネル ${channel} のプロバイダーが残高 ${dollars} を報告しました。なくなると、このチャネルの呼び出しは失敗します。`,
      ],
    }),
    model_unserved: ({ model }) => ({
      subject: `${model} を提供するチャネルがありません`,
      before: [
        `モデル ${model} は今日呼び出されましたが、提供するすべてのチャネルが無効か一時停止中です。呼び出しは失敗します。`,
      ],
    }),
    calls_failing: ({ model, calls, failed }) => ({
      subject: `${model} の呼び出しが失敗しています`,
      before: [
        `モデル ${model} の呼び出し ${calls} 件のうち ${failed} 件が約 1 時間以内に失敗しました。`,
      ],
    }),
    calls_slow: ({ model, medianMs, usualMs }) => ({
      subject: `${model} の呼び出しが遅くなっています`,
      before: [
        `${model} の呼び出しの最初の内容が届くまで ${medianMs} ms かかっています（約 1 時間の中央値）。過去 7 日間の同じ時間帯では ${usualMs} ms でした。`,
      ],
    }),
    spend_spiking: ({ key, username, spent, usual, isPaused }) => ({
      subject: `API キー ${key} の支出が普段より多くなっています`,
      before: [
        `${username} の API キー「${key}」は本日（UTC）${spent} を支出しました。普段の 1 日の支出は ${usual} です。`,
        ...(isPaused
          ? [
              "この API キーは一時停止されました。所有者または管理者が再開すると、再び使えるようになります。",
            ]
          : []),
      ],
    }),
    price_missing: ({ model }) => ({
      subject: `${model} の価格が設定されていません`,
      before: [
        `モデル ${model} は今日呼び出されましたが、お客様の設定にも、チャネルにも、価格表にも価格がありません。呼び出しは既定の価格で課金されます。`,
      ],
    }),
    price_mismatch: ({ channel, ours, theirs }) => ({
      subject: `チャネル ${channel} の請求額が異なります`,
      before: [
        `プロバイダーが締めた直近の日について、チャネル ${channel} の呼び出しは当方の価格では ${ours} ですが、プロバイダーの請求は ${theirs} です。`,
      ],
    }),
    model_retiring: ({ model, endsOn, calls, users, replacement }) => ({
      subject: `${model} は ${endsOn} に終了します`,
      before: [
        `プロバイダーはモデル ${model} を ${endsOn}（UTC）に終了します。過去 14 日間に ${calls} 件の呼び出しに応答し、利用したユーザーは ${users} 人です。`,
        ...describeReplacement(replacement),
      ],
    }),
    own_model_retiring: ({ model, endsOn, calls, replacement }) => ({
      subject: `${model} は ${endsOn} に終了します`,
      before: [
        `プロバイダーはモデル ${model} を ${endsOn}（UTC）に終了します。お客様の API キーは過去 14 日間に ${calls} 回呼び出しました。終了後の呼び出しは失敗します。`,
        ...describeReplacement(replacement),
      ],
    }),
    prices_changed: ({ models, model, list }) => ({
      subject: "価格が変わりました",
      before: [
        `価格表 ${list} では、使用中のモデルの価格が 2 割を超えて変わります：${models} 件（${model} など）。root が価格のページで採用するまで何も変わりません。`,
      ],
    }),
    ledger_drifts: ({ findings, first }) => ({
      subject: "帳簿が一致しません",
      before: [`帳簿の毎日の監査で ${findings} 件の不一致が見つかりました。最初の件：${first}。`],
    }),
    trail_broken: ({ fault }) => ({
      subject: "変更の記録が壊れています",
      before: [`変更の記録の毎日の検査で異常が見つかりました：${fault}。`],
    }),
    disk_low: ({ gigabytes, percent }) => ({
      subject: "ディスクの空きがほとんどありません",
      before: [
        `データベースのディスクの空きは ${gigabytes} GB（${percent} %）です。いっぱいになると呼び出しは拒否されます。`,
      ],
    }),
    backup_old: ({ last, hours }) => ({
      subject: "最後のバックアップが古すぎます",
      before: [
        last === ""
          ? `データベースのバックアップが確認できません。${hours} 時間ごとに必要です。`
          : `データベースの最後のバックアップは ${last} です。${hours} 時間ごとに必要です。`,
      ],
    }),
    clock_behind: ({ minutes }) => ({
      subject: "時計が最新の記録より遅れています",
      before: [
        `データベースの最新の記録は、ゲートウェイの時計より ${minutes} 分進んでいます。新しい呼び出しは正しい時刻で表示されますが、時計が追いつくまで、時間別・日別の集計では後の時刻に数えられます。請求は正確です。時計が誤っている場合は NTP で合わせてください。`,
      ],
    }),
    database_refused: ({ minutes, message }) => ({
      subject: "データベースが応答しませんでした",
      before: [
        `データベースは ${minutes} 分間何も受け付けませんでしたが、現在は動作しています。メッセージ：${message}`,
      ],
    }),
    root_signed_in: ({ username, network }) => ({
      subject: `${username} が新しいネットワークからログインしました`,
      before: [
        `特権管理者 ${username} が、これまでこのアカウントでログインしたことのないネットワーク（${network}）からログインしました。`,
      ],
    }),
    sign_ins_locked: ({ locks }) => ({
      subject: "多数のログインがロックされています",
      before: [`1 時間以内に ${locks} 件以上のログインが、失敗の繰り返しによりロックされました。`],
    }),
    budget_reached: ({ budget, percent, spent, amount }) => ({
      subject: `予算 ${budget}: ${percent} % に到達`,
      before: [
        `予算 ${budget} は現在の期間で ${percent} % に達しました。${amount} のうち ${spent} を使用しています。`,
      ],
    }),
    job_failing: ({ job }) => ({
      subject: `バックグラウンド処理が失敗しています: ${job}`,
      before: [`バックグラウンド処理「${job}」が続けて失敗しました。`],
    }),
    notices_failing: ({ destination, answer }) => ({
      subject: `${destination} への通知が失敗しています`,
      before: [`送信先 ${destination} は 1 時間通知を受け取っていません。最後の応答: ${answer}`],
    }),
    wallet_low: ({ username, left, threshold }) => ({
      subject: "残高が少なくなっています",
      before: [`アカウント ${username} の残高は ${left} で、${threshold} を下回っています。`],
    }),
    key_expiring: ({ key, until }) => ({
      subject: `API キー ${key} の期限が近づいています`,
      before: [
        `API キー「${key}」は ${until} に期限が切れます。それ以降、このキーを使うプログラムは拒否されます。`,
      ],
    }),
    key_expired: ({ key }) => ({
      subject: `API キー ${key} の期限が切れました`,
      before: [`API キー「${key}」の期限が切れました。このキーを使うプログラムは拒否されます。`],
    }),
    management_key_expiring: ({ key, until }) => ({
      subject: `管理キー ${key} の期限が近づいています`,
      before: [
        `管理キー「${key}」は ${until} に期限が切れます。それ以降、このキーを使うプログラムは拒否されるため、新しいキーを作成してください。`,
      ],
    }),
    management_key_expired: ({ key }) => ({
      subject: `管理キー ${key} の期限が切れました`,
      before: [`管理キー「${key}」の期限が切れました。このキーを使うプログラムは拒否されます。`],
    }),
  },
  remedies: {
    "channel.disabled":
      "プロバイダー側の原因を取り除いてから、チャネルをテストして有効化してください。",
    "channel.suspended":
      "プロバイダーの稼働状況を確認し、チャネルをテストして、続く間は無効化してください。",
    "channel.key_disabled":
      "チャネルのキーを交換するか、プロバイダーが再び受け付けるようになったら有効化してください。",
    "channel.balance_low":
      "プロバイダーのアカウントにチャージするか、別のチャネルにモデルを提供させてください。",
    "model.unserved": "このモデルのチャネルを有効化するか、追加してください。",
    "calls.failing": "このモデルのログを確認し、提供するチャネルをテストしてください。",
    "calls.slow":
      "ダッシュボードでこのモデルのチャネルのレイテンシを比べ、速いチャネルを優先してください。",
    "spend.spike":
      "意図しない支出であればキーを無効化し、そうでなければ適切な上限を設定してください。",
    "price.missing": "価格のページ、またはチャネルの設定で価格を指定してください。",
    "price.mismatch":
      "チャネルの費用レポートのページで日とモデルを比較し、価格を修正してください。",
    "model.retiring": "新しいモデルを提供し、仮想モデルで名前を引き継いでください。",
    "price.changed": "価格のページで違いを確認し、正しいものを採用してください。",
    "ledger.drift":
      "「tollgate audit」を実行するとすべてわかります。原因は不具合かデータベースへの直接の変更だけなので、報告してください。",
    "trail.broken":
      "バックアップと比べていつからかを確認し、データベースに書き込める人を見直してください。「tollgate audit --trail」で、どこまで連鎖が正しいかがわかります。",
    "storage.trouble":
      "内容に応じて、空き容量を増やすかログとトレースの保存日数を減らし、バックアップを再び実行し、データベースのログを確認してください。",
    "sign_in.root":
      "心当たりがない場合は、このアカウントのすべてのログインを終了し、パスワードを変更して、変更履歴を確認してください。",
    "sign_in.lockouts":
      "パスワードが推測されている可能性があります。二要素認証を求め、コンソールに到達できる相手を制限してください。",
    "budget.reached":
      "意図した支出であれば予算を増やし、そうでなければログで原因を確認してください。",
    "call.not_covered":
      "チャネルのモデルの価格と、呼び出しが求められる最長の応答を確認してください。",
    "usage.capped": "これらの呼び出しをプロバイダーの数値と比べてください。",
    "quota.waiting": "「ユーザー」ページで承認または拒否してください。",
    "budget.asked": "「予算」ページで追加または却下してください。",
    "team.without_admin":
      "チームのページでメンバーをチーム管理者と所有者にするか、チーム管理者のアカウントを有効にしてください。",
    "job.failing": "理由はゲートウェイのログにあります。処理は自動的に再試行されます。",
    "notice.failing":
      "送信先をテストしてください。アドレスまたはトークンが無効な場合は、削除して追加し直してください。",
    "wallet.low": "アカウントにチャージしてください。残高がなくなると、呼び出しは拒否されます。",
    "key.expiring": "キーの期限を延ばすか、プログラムのキーを取り替えてください。",
    "own_budget.reached":
      "意図した支出であれば上限を上げるか、引き上げを依頼してください。そうでなければ、ログで原因を確認してください。",
    "own_model.retiring": "その日までに、プログラムで別のモデルを選んでください。",
  },
  alertResolved: ({ subject }) => ({
    subject: `解決: ${subject}`,
    before: ["この状態は終わりました。"],
  }),
  alertReminder: ({ subject }) => ({
    subject: `継続中: ${subject}`,
    before: ["この状態が 1 日続いています。"],
  }),
  alertFlapping: ({ subject }) => ({
    subject: `不安定: ${subject}`,
    before: [
      "1 時間以内に何度も発生と終了を繰り返しました。1 時間安定すると、再びお知らせします。",
    ],
  }),
  alertDigest: ({ count }) => ({
    subject: `アラート ${count} 件`,
    before: ["複数のアラートが同時に発生しました:"],
  }),
  alertExample: {
    subject: "通知の例",
    before: ["これは例です。このサーバーの通知はここに届きます。"],
  },
  destinationCode: ({ code }) => ({
    subject: "通知用のコード",
    before: [
      `コードは ${code} です。コンソールに入力すると、ここに通知が届きます。`,
      "一度だけ、10 分間有効です。心当たりがない場合は、このメッセージを無視してください。",
    ],
  }),
};

const describeReplacement = (replacement = ""): string[] =>
  replacement === "" ? [] : [`代わりのモデル：${replacement}。`];
