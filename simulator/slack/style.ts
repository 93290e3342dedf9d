/** Style sheet of the page, light and dark. */

export const STYLE = `
:root { color-scheme: light dark; --ink:#1d1c1d; --soft:#616061; --line:#e4e4e4; --paper:#fff; --hover:#f8f8f8;
  --link:#1264a3; --side:#3f1d4e; --side-ink:#d9cbe0; --here:#1164a3; --mention:#fdf3d8; --mention-ink:#8a5a00; --chip:#e8e8e8; --eph:#f6f4f9; --green:#007a5a; --red:#c01343; }
@media (prefers-color-scheme: dark) { :root { --ink:#d9dadc; --soft:#9b9ea3; --line:#35373b; --paper:#1a1d21; --hover:#212428;
  --link:#5aa9e6; --side:#19131f; --side-ink:#b9a9c3; --here:#1d5c8f; --mention:#3d3420; --mention-ink:#f0c869; --chip:#35373b; --eph:#22202a; --green:#1f7a5c; --red:#d0436b; } }
* { box-sizing: border-box; margin: 0; }
body { display: flex; min-height: 100vh; background: var(--paper); color: var(--ink);
  font: 15px/1.47 Lato, "Helvetica Neue", "Segoe UI", system-ui, "Noto Color Emoji", sans-serif; }
nav { flex: 0 0 208px; position: sticky; top: 0; align-self: flex-start; height: 100vh; overflow-y: auto; padding: 14px 8px; background: var(--side); color: var(--side-ink); }
nav h1 { font-size: 17px; padding: 4px 10px 14px; color: #fff; }
nav a { display: block; padding: 4px 10px; border-radius: 6px; color: inherit; text-decoration: none; }
nav a span { opacity: .7; } nav a em { float: right; font-style: normal; opacity: .7; font-size: 13px; }
nav a.here { background: var(--here); color: #fff; }
nav h2 { font-size: 13px; font-weight: 700; padding: 14px 10px 4px; opacity: .85; }
nav form button { display: block; width: 100%; padding: 4px 10px; border: 0; border-radius: 6px; background: none; color: inherit; font: inherit; text-align: left; cursor: pointer; }
nav form button.here { background: var(--here); color: #fff; } nav a i { font-style: normal; opacity: .7; }
.chooser { padding: 0 10px 2px; } .chooser label { display: block; font-size: 12px; } .chooser select { width: 100%; margin-top: 2px; } .chooser p { font-size: 12px; margin-top: 6px; overflow-wrap: anywhere; }
.pane { flex: 1; min-width: 0; } main { min-width: 0; }
input[type=checkbox], input[type=radio] { width: 24px; height: 24px; margin: 0; vertical-align: middle; align-self: start; }
select, input[type=text], input[type=email], input[type=url], input[type=number], input[type=date], input[type=time], textarea {
  font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--soft); border-radius: 6px; padding: 5px 8px; max-width: 100%; }
.button { display: inline-block; font: inherit; font-size: 13px; font-weight: 700; padding: 5px 12px; border: 1px solid var(--soft); border-radius: 6px;
  background: var(--paper); color: var(--ink); cursor: pointer; line-height: 1.4; } .button:hover { background: var(--hover); text-decoration: none; }
.button.primary { background: var(--green); border-color: var(--green); color: #fff; } .button.danger { background: var(--paper); border-color: var(--red); color: var(--red); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; } .busy { opacity: .6; pointer-events: none; }
.composer { position: sticky; top: 0; z-index: 1; display: flex; gap: 8px; padding: 12px 20px; border-bottom: 1px solid var(--line); background: var(--paper); }
.composer input[type=text] { flex: 1; min-width: 0; padding: 8px 12px; }
.actions { display: flex; flex-wrap: wrap; gap: 6px; margin: 6px 0; align-items: center; } .section { display: flex; gap: 16px; align-items: flex-start; justify-content: space-between; }
.section > div { min-width: 0; } form.inline { display: inline-block; } .scripted .set { display: none; }
.note, .reply { font-size: 12px; color: var(--soft); } .reply { display: inline-block; margin-top: 2px; } article.ephemeral { background: var(--eph); }
.thread form { display: flex; gap: 8px; margin-top: 6px; max-width: 560px; } .thread form input[type=text] { flex: 1; min-width: 0; }
.thread article form { margin-top: 0; }
.confirm { margin: auto; max-width: 420px; padding: 18px 20px; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); color: var(--ink); box-shadow: 0 8px 40px #0006; }
.confirm::backdrop, .shade { background: #0008; } .buttons { display: flex; gap: 8px; justify-content: flex-end; margin-top: 14px; }
.overflow { display: inline-block; position: relative; } .overflow summary { list-style: none; } .overflow button { display: block; width: 100%; margin-top: 4px; text-align: left; }
.shade { position: fixed; inset: 0; z-index: 2; }
.modal { position: fixed; z-index: 3; top: 50%; left: 50%; transform: translate(-50%, -50%); width: min(520px, calc(100vw - 24px)); max-height: calc(100vh - 40px);
  display: flex; flex-direction: column; padding: 16px 20px; border-radius: 10px; background: var(--paper); color: var(--ink); box-shadow: 0 8px 60px #000a; }
.modal h2 { font-size: 20px; padding: 0 70px 10px 0; } .modal > form:not(.close) { display: flex; flex-direction: column; min-height: 0; }
.fill { overflow-y: auto; min-height: 0; } .modal .close { position: absolute; right: 20px; top: 14px; } .modal .first { position: absolute; width: 0; height: 0; padding: 0; border: 0; opacity: 0; }
.input { margin: 10px 0 14px; } .label { font-weight: 700; margin-bottom: 4px; } .label small { font-weight: 400; color: var(--soft); } .hint { font-size: 13px; color: var(--soft); margin-top: 3px; }
.input > input, .input > textarea, .input > select { width: 100%; } .problem { color: var(--red); font-size: 13px; margin-top: 3px; } .wrong input, .wrong textarea, .wrong select { border-color: var(--red); }
.picks { display: grid; gap: 4px; max-height: 210px; overflow-y: auto; } .picks label { display: flex; gap: 8px; align-items: baseline; } .picks small { display: block; color: var(--soft); }
.home { padding: 14px 20px 40px; max-width: 800px; } .image { color: var(--soft); }
header { padding: 12px 20px; border-bottom: 1px solid var(--line); } header h2 { font-size: 18px; }
header small { color: var(--soft); font-weight: 400; }
.messages { padding: 12px 0 24px; } .empty { padding: 20px; color: var(--soft); }
article { display: flex; gap: 10px; padding: 8px 20px; } article:hover { background: var(--hover); }
.avatar { flex: 0 0 36px; height: 36px; border-radius: 6px; display: grid; place-items: center; color: #fff; font-weight: 900;
  font-size: 19px; background: linear-gradient(135deg, #2a6f8f, #3ca383); }
.body { min-width: 0; flex: 1; max-width: 760px; }
.who { display: flex; align-items: center; gap: 6px; line-height: 1.2; margin-bottom: 2px; } .who b { font-weight: 900; }
.app { font-size: 10px; font-weight: 700; padding: 1px 4px; border-radius: 3px; background: var(--chip); color: var(--soft); }
.who time, .context, .thread > p { font-size: 12px; color: var(--soft); }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
b { font-weight: 700; } code { font: 12.5px/1.4 ui-monospace, Menlo, "DejaVu Sans Mono", monospace; padding: 1px 4px; border: 1px solid var(--line);
  border-radius: 4px; color: #c01343; background: var(--hover); } @media (prefers-color-scheme: dark) { code { color: #e8912d; } }
h3 { font-size: 18px; line-height: 1.33; margin: 4px 0 8px; font-weight: 900; overflow-wrap: anywhere; }
.block { margin: 2px 0 6px; overflow-wrap: anywhere; } hr { border: 0; border-top: 1px solid var(--line); margin: 10px 0; }
.block ul { margin: 2px 0 6px; padding-left: 26px; } .block li { padding: 1px 0; } .block li::marker { color: var(--soft); }
.fields { display: grid; grid-template-columns: 1fr 1fr; gap: 5px 16px; max-width: 560px; }
.context { display: flex; flex-wrap: wrap; gap: 4px 12px; margin: 6px 0 4px; }
.attachment { display: flex; gap: 12px; margin: 4px 0; } .attachment > i { flex: 0 0 4px; border-radius: 4px; }
.attachment > div { min-width: 0; flex: 1; padding: 1px 0; } .attachment .block { margin: 3px 0 5px; }
.mention { padding: 0 3px 1px; border-radius: 3px; background: var(--mention); color: var(--mention-ink); font-weight: 500; }
.thread { margin-top: 6px; padding-left: 12px; border-left: 2px solid var(--line); } .thread > p { font-weight: 700; color: var(--link); }
@media (max-width: 640px) { body { display: block; } nav { height: auto; z-index: 2; display: flex; gap: 4px; align-items: center;
  overflow: auto hidden; padding: 8px; } nav h2 { display: none; } nav form button { white-space: nowrap; padding: 6px 10px; } .chooser { flex: 0 0 140px; padding: 0; } .chooser p { display: none; }
  .composer { position: static; padding: 8px 12px; } nav h1 { font-size: 14px; padding: 0 8px; white-space: nowrap; } nav a { padding: 6px 10px; white-space: nowrap; }
  nav a em { float: none; margin-left: 6px; } header { padding: 8px 12px; } article { padding: 8px 12px; gap: 8px; }
  .avatar { flex-basis: 28px; height: 28px; font-size: 15px; } .fields { grid-template-columns: 1fr; } .who { flex-wrap: wrap; } .attachment { gap: 8px; }
  .context, .context span { overflow-wrap: anywhere; min-width: 0; } }
.thread article { padding: 6px 0; } .thread .avatar { flex-basis: 24px; height: 24px; font-size: 13px; border-radius: 4px; }
`;
