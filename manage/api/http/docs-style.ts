/** The style sheet of the reference page. The page's policy allows this one by its hash. */

export const DOCS_STYLE = `
:root{color-scheme:light dark;--ink:#1f2328;--soft:#59626e;--page:#fff;--line:#e2e5ea;--code:#f3f4f6;--link:#2f4fc4}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ed;--soft:#9aa4b0;--page:#111418;--line:#30363d;--code:#1b1f24;--link:#8ea6ff}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,sans-serif;overflow-wrap:anywhere}
.skip{position:absolute;left:-100rem}.skip:focus{left:1rem;top:1rem;background:var(--page);padding:.5rem}
a{color:var(--link)}
nav{padding:0 1rem 1rem;max-height:45vh;overflow:auto;border-bottom:1px solid var(--line);font-size:.9rem}
nav p{margin:.75rem 0 .1rem;font-weight:600}nav ul{list-style:none;margin:0;padding:0}nav li a{display:flex;gap:.25rem;align-items:baseline;padding:.15rem 0;color:inherit;text-decoration:none}nav li a:hover{text-decoration:underline}
main{padding:0 1rem 4rem;max-width:52rem}
h1 small{color:var(--soft);font-weight:400;font-size:1rem}
h2{margin:3rem 0 1rem;padding-bottom:.25rem;border-bottom:2px solid var(--line);text-transform:capitalize}
h3{margin:0 0 .25rem;font-size:1.1rem}h4{margin:1rem 0 .25rem;font-size:.9rem;color:var(--soft)}
article{margin:0 0 1.5rem;padding:1rem;border:1px solid var(--line);border-radius:10px}
p{margin:.25rem 0 .75rem}
code,pre{font:.86rem/1.5 ui-monospace,monospace;background:var(--code);border-radius:4px}code{padding:.1rem .3rem}
pre{padding:.75rem;overflow:auto;max-height:24rem}
.method{display:inline-block;flex:none;min-width:3.4rem;font:600 .72rem/1.4 ui-monospace,monospace;text-transform:uppercase;color:var(--soft)}
.route code{font-weight:600}
dl{margin:.25rem 0 .75rem;display:grid;grid-template-columns:minmax(9rem,16rem) minmax(0,1fr);gap:.15rem 1rem;font-size:.93rem}
dt,dd{margin:0;padding:.2rem 0}dd:empty{display:none}dl details{margin:.25rem 0}
dt .soft{font-size:.85rem}.soft{color:var(--soft)}
summary{cursor:pointer;padding:.15rem 0}summary h3{display:inline;font-size:.95rem;font-weight:500}
details.schema,details.webhook{padding:.3rem 0;border-bottom:1px solid var(--line)}
.response{margin:.2rem 0}.status{font-weight:600}
@media (min-width:64rem){body{display:grid;grid-template-columns:19rem minmax(0,1fr)}nav{position:sticky;top:0;height:100vh;max-height:none;border-right:1px solid var(--line);border-bottom:0}main{padding:0 3rem 4rem}}
@media (max-width:40rem){dl{display:block}dt{padding-top:.5rem}dd{padding-left:.75rem;border-left:2px solid var(--line)}article{padding:.75rem}}
`;
