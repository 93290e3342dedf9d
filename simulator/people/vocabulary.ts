/**
 * The names in a generated account: people, clients, projects, and the account's own lists.
 * The files generate-*.ts decide which record gets which name.
 */

/** Words between commas, over as many lines as they need. */
function list(text: string): readonly string[] {
  return text.replace(/\s+/g, ' ').trim().split(', ');
}

export const FIRST_NAMES = list(`
  Ines, Theo, Maya, Jonas, Amara, Luca, Freya, Mateo, Zoë, Henrik, Priya, Noé, Carmen, Björn, Leila, Tomás,
  Hannah, Kofi, Élodie, Ravi, Sofia, Anders, Naomi, Pavel, Chiara, Declan, Yuki, Oskar, Fatima, Miguel, Greta,
  Samuel, Agnès, Ivo, Beatriz, Callum, Nadia, Jürgen, Rosa, Emeka, Signe, Hugo, Alma, Dario, Wren, Lars, Imogen,
  René, Tilda, Marcus, Jun, Olga, Felix, Salma, Bruno, Katya, Piet, Aoife, Daniel, Marta
`);

export const LAST_NAMES = list(`
  Albrecht, Okafor, Lindqvist, Moreau, García, Novak, O’Leary, Schäfer, Tanaka, Haddad, Rossi, Berg, Fernández,
  Kowalski, Dubois, Mensah, Petrov, Nguyen, Silva, McAllister, Jensen, Weiß, Iyer, Costa, Lambert, Hoffmann,
  Björk, Castillo, Yilmaz, Fraser, Vermeer, Rahman, Müller, Bianchi, Sørensen, Papadakis, Ferrante, D’Angelo,
  Kim, Oduya, Virtanen, Marchetti, Bauer, Delacroix, Quinn, Sato, Nowak, Eriksen, Peñalver, Adeyemi, Hartmann,
  Leclerc, Zimmer, Whitaker, Ortega, Malik, Brandt, Keller, Arnaud, Sinclair
`);

export const JOB_TITLES = list(`
  Designer, Art director, Copywriter, Front-end developer, Developer, Photographer, Producer, Strategist, Motion
  designer, Account manager, UX researcher, Editor, Illustrator, SEO & analytics
`);

export const ZONES = [
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'America/Los_Angeles',
  'Asia/Tokyo',
  'Australia/Sydney',
  'Asia/Kolkata',
  'America/Sao_Paulo',
] as const;

/** A client is one of these houses in one of these trades. */
export const HOUSES = list(`
  Albatross, Brightwater, Café Lumière, Dunmore, Eastwick, Fjordland, Grünwald, Harbour & Pine, Ivory Lane,
  Juniper, Kestrel, Lindenhof, Maison Béatrice, Northgate, Orchard Street, Pêcheur, Quillfeather, Redfern,
  Saltmarsh, Tamarind, Umbra, Vallée Verte, Whitby, Xylo, Yarrow & Sons, Zephyr, O’Malley, Rosso, Sundström,
  Copperfield, Meadowlark, Blackthorn
`);
export const TRADES = list(`
  Foods, Energy, Hotels, Books, Bicycles, Furniture, Museum, Clinic, Coffee Roasters, Travel, Insurance,
  Gardens, Opera, Outdoor, Pharmacy, Architects, Records, University, Shipping, Winery, Bank, Bakeries, Films,
  Toys, Labs, Foundation, Ceramics, Rail, Festival, Eyewear, Skincare, Watches
`);

export const PROJECTS = list(`
  Website relaunch, Brand refresh, Spring campaign, Autumn campaign, Annual report, Online shop, Product film,
  Packaging, Trade fair stand, Newsletter & CRM, Recruiting pages, Anniversary book, Mobile app, Signage,
  Customer magazine, Photo library, Accessibility audit, Intranet, Podcast “On the Table”, Social media
  retainer, Donor portal, Membership cards, Wayfinding & maps, Season brochure, Design system, Booking engine,
  Search & analytics, Support retainer, Launch event, Tone of voice
`);

export const PROJECT_DESCRIPTIONS = [
  '<p>Scope as agreed in the kick-off. Changes go through the project manager.</p>',
  '<p>Fixed price. Hours beyond the budget need the client’s <b>written</b> consent.</p>',
  '<p>Retainer, billed monthly.\r\nUnused hours expire at the end of the quarter.</p>',
  '',
] as const;

export const MILESTONES = [
  'Kick-off',
  'Concept approved',
  'First draft',
  'Design sign-off',
  'Content freeze',
  'Beta',
  'Go-live',
  'Handover & training',
] as const;

/** Name, closed. */
export const STATUSES = [
  ['Open', 0],
  ['In Progress', 0],
  ['In Internal Review', 0],
  ['In Client Review', 0],
  ['Staged', 0],
  ['Verify & Close', 0],
  ['Closed', 1],
] as const;

/** Name, colour without #. */
export const PRIORITIES = [
  ['P1', 'CC0000'],
  ['P2', 'E67300'],
  ['P3', 'F2C200'],
  ['P4', '4C9A2A'],
  ['P5', '8A8A8A'],
] as const;

/** Name, days. The sixth brings its own due date. */
export const TERMS = [
  ['Upon Receipt', 0],
  ['Net 10', 10],
  ['Net 15', 15],
  ['Net 30', 30],
  ['Net 60', 60],
  ['Other', 0],
] as const;

/** Name, colour. */
export const LABELS = [
  ['On track', '#3C9D4E'],
  ['At risk', '#E0A100'],
  ['Waiting for client', '#3B7DD8'],
  ['Retainer', '#7A5CC7'],
  ['Internal', '#7F8C8D'],
] as const;

export const MODULES = [
  'Strategy',
  'Design',
  'Copywriting',
  'Development',
  'Photography & Video',
  'Print',
  'Quality Assurance',
  'Project Management',
] as const;
export const CUSTOM_MODULES = ['Podcast', 'Translation', 'Exhibition build', 'Data migration', 'Paid search'] as const;

/** Name, cents an hour. */
export const WORK_TYPES = [
  ['Design', 11_000],
  ['Development', 12_500],
  ['Writing', 9_500],
  ['Consulting', 15_000],
  ['Meetings', 9_000],
  ['Administration', 6_500],
] as const;

export const PAYMENT_TYPES = ['Check', 'Credit card', 'Bank transfer', 'Cash', 'PayPal'] as const;
export const CONTACT_TYPES = ['E-mail', 'Phone', 'Address', 'Messenger', 'Website'] as const;
export const CONTACT_DESCRIPTORS = ['Work', 'Home', 'Mobile', 'Billing'] as const;

export const EXPENSES = list(`
  Train to the client, Stock photographs, Font licence, Print proofs, Hotel, Location fee, Catering for the
  shoot, Courier, Translation bureau, Hosting, Props & flowers, Usability test participants
`);

/** Title, file name, tags. */
export const DOCUMENTS = [
  ['Briefing', 'briefing.pdf', ['briefing']],
  ['Contract', 'contract-signed.pdf', ['legal']],
  ['Moodboard', 'moodboard.png', ['design']],
  ['Wireframes', 'wireframes.sketch', ['design', 'ux']],
  ['Logo & colours', 'logo.svg', ['design', 'brand']],
  ['Minutes of the kick-off', 'minutes.docx', ['minutes']],
  ['Sitemap', 'sitemap.xlsx', ['ux']],
  ['Photo selects', 'selects.zip', ['photo']],
  ['Offer', 'offer-v3.pdf', ['legal', 'offer']],
  ['Style guide', 'style-guide.pdf', ['brand']],
  ['Test report', 'test-report.html', ['qa']],
  ['Résumé of interviews', 'interviews.txt', ['ux']],
] as const;
