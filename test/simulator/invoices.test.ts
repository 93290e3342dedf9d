/**
 * Invoices: kinds, imports, terms, two taxes, payments, and everything that follows from them and from today.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { percentOf } from '../../simulator/account/decimals.ts';
import { sumUp } from '../../simulator/account/invoices.ts';
import type { Simulator, WireRecord } from '../../simulator/simulator.ts';
import { ask, startStill, validBody } from './api-client.ts';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startStill({ tasks: 60 });
});
afterEach(() => simulator.stop());

async function make(fields: Record<string, string>): Promise<WireRecord> {
  const response = await ask(simulator, '/invoice/', { method: 'POST', body: { ...validBody('invoice'), ...fields } });
  expect(response.status, response.text).toBe(201);
  return response.json.invoice as WireRecord;
}
async function change(id: string | null | undefined, body: Record<string, string>) {
  return ask(simulator, `/invoice/${id}/`, { method: 'PUT', body });
}
const read = (id: string | null | undefined) => simulator.account.read('invoice', id ?? '') ?? {};
const itemsOf = (id: string | null | undefined) => simulator.account.list('invoiceitem', { invoiceid: id ?? '' });

describe('kinds of invoices', () => {
  it('without dates it is freeform and has no items', async () => {
    expect(await make({})).toMatchObject({
      numitems: '0',
      subtotal: '0.00',
      total: '0.00',
      datebegin: null,
      status: 'outstanding',
    });
  });

  it('with dates it is prefilled with the time of its project in the range, both ends included', async () => {
    const entries = simulator.account
      .list('time', { projectid: '1' })
      .toSorted((a, b) => ((a.dateiso ?? '') < (b.dateiso ?? '') ? -1 : 1));
    const begin = entries[1]?.dateiso ?? '';
    const end = entries[entries.length - 2]?.dateiso ?? '';
    const invoice = await make({ datebegin: begin, dateend: end });
    const expected = entries.filter(({ dateiso }) => (dateiso ?? '') >= begin && (dateiso ?? '') <= end);
    expect(
      itemsOf(invoice.id)
        .map(({ timeid }) => Number(timeid))
        .sort(),
    ).toEqual(expected.map(({ id }) => Number(id)).sort());
    expect(invoice.numitems).toBe(String(expected.length));
  });

  it('one date leaves the range open on the other side', async () => {
    const all = simulator.account.list('time', { projectid: '1' });
    expect((await make({ dateend: '2030-01-01' })).numitems).toBe(String(all.length));
    expect((await make({ datebegin: '2030-01-01' })).numitems).toBe('0');
  });

  it('a changed range imports again and keeps custom items', async () => {
    const invoice = await make({ dateend: '2030-01-01' });
    simulator.account.create('invoiceitem', { invoiceid: invoice.id, description: 'Flowers', rate: '12.50' });
    const response = await change(invoice.id, { datebegin: '2030-01-01', dateend: '2030-01-31' });
    expect(itemsOf(invoice.id)).toMatchObject([{ description: 'Flowers', timeid: null }]);
    expect(response.json.invoice).toMatchObject({ numitems: '1', total: '12.50' });
  });

  it('a change of another field imports nothing', async () => {
    const invoice = await make({ dateend: '2030-01-01' });
    const [first] = itemsOf(invoice.id);
    simulator.account.update('invoiceitem', first?.id ?? '', { rate: '1' });
    await change(invoice.id, { title: 'Another title' });
    expect(itemsOf(invoice.id)[0]).toMatchObject({ id: first?.id, rate: '1.00' });
  });

  it('the kind cannot be changed', async () => {
    const freeform = await make({});
    const prefilled = await make({ datebegin: '2026-10-01', dateend: '2026-10-31' });
    expect((await change(freeform.id, { datebegin: '2026-10-01' })).json.error.code).toBe(18);
    expect((await change(prefilled.id, { datebegin: '', dateend: '' })).json.error.code).toBe(18);
  });
});

describe('terms', () => {
  it.each([
    ['1', '2026-11-14'],
    ['2', '2026-11-24'],
    ['3', '2026-11-29'],
    ['4', '2026-12-14'],
    ['5', '2027-01-13'],
  ])('term %s is due on %s', async (termid, datedue) => {
    expect(await make({ termid })).toMatchObject({ datedue, termother: '', termotherdatedue: null });
  });

  it('term 6 needs its own due date and may have a name', async () => {
    const response = await ask(simulator, '/invoice/', {
      method: 'POST',
      body: { ...validBody('invoice'), termid: '6' },
    });
    expect(response.json.error).toMatchObject({ code: 18, message: expect.stringContaining('termotherdatedue') });
    const invoice = await make({ termid: '6', termother: 'When the book is out', termotherdatedue: '2027-03-01' });
    expect(invoice).toMatchObject({
      datedue: '2027-03-01',
      term: 'When the book is out',
      termotherdatedue: '2027-03-01',
    });
    expect((await change(invoice.id, { termotherdatedue: '' })).status).toBe(400);
  });
});

describe('sums', () => {
  const item = (quantity: number, rate: number) => ({ quantity, rate });

  it.each([
    [{ tax: null, secondtax: null, secondtaxcompound: false }, 10_000, 0, 0, 10_000],
    [{ tax: 19_000, secondtax: null, secondtaxcompound: false }, 10_000, 1_900, 0, 11_900],
    [{ tax: 5_000, secondtax: 9_975, secondtaxcompound: false }, 10_000, 500, 998, 11_498],
    [{ tax: 5_000, secondtax: 9_975, secondtaxcompound: true }, 10_000, 500, 1_047, 11_547],
  ])('%j of %i cents', (taxes, subtotal, tax, secondtax, total) => {
    expect(sumUp(taxes, [item(100, subtotal)], [])).toMatchObject({ subtotal, tax, secondtax, total, items: 1 });
  });

  it('quantities and rates multiply without losing a cent', () => {
    expect(
      sumUp({ tax: null, secondtax: null, secondtaxcompound: false }, [item(125, 333), item(33, 1)], []).subtotal,
    ).toBe(416);
    expect(percentOf(999_999_999_999, 99_999)).toBe(999_989_999_999);
  });

  it('responses show them with two decimals', async () => {
    const invoice = await make({ tax: '5', secondtax: '9.975', secondtaxcompound: 't' });
    simulator.account.create('invoiceitem', { invoiceid: invoice.id, description: 'Idea', quantity: '1', rate: '100' });
    expect(read(invoice.id)).toMatchObject({
      tax: '5',
      second_tax: '9.975',
      second_tax_compound: 't',
      subtotal: '100.00',
      taxamount: '5.00',
      secondtaxamount: '10.47',
      total: '115.47',
      balance: '115.47',
    });
  });
});

describe('payments and days', () => {
  async function owed(): Promise<string> {
    const { id } = await make({ termid: '2' });
    simulator.account.create('invoiceitem', { invoiceid: id, description: 'Idea', rate: '100' });
    return id ?? '';
  }
  const go = (day: string) => simulator.account.clock.set(`${day}T11:00:00Z`);

  it('an invoice is outstanding until its due date has passed, then overdue day by day', async () => {
    const id = await owed();
    expect(read(id)).toMatchObject({ status: 'outstanding', daysoverdue: '0', datedue: '2026-11-24' });
    go('2026-11-24');
    expect(read(id)).toMatchObject({ status: 'outstanding', daysoverdue: '0' });
    go('2026-11-25');
    expect(read(id)).toMatchObject({ status: 'overdue', daysoverdue: '1' });
    go('2026-12-24');
    expect(read(id)).toMatchObject({ status: 'overdue', daysoverdue: '30', daysoverduepaid: '' });
  });

  it('today is the day in the zone of the account', async () => {
    const id = await owed();
    simulator.account.clock.set('2026-11-24T22:59:59Z');
    expect(read(id).status).toBe('outstanding');
    simulator.account.clock.set('2026-11-24T23:00:00Z');
    expect(read(id).status).toBe('overdue');
  });

  it('a partial payment leaves a balance; the rest makes it paid on that day', async () => {
    const id = await owed();
    simulator.account.pay(id, '40');
    expect(read(id)).toMatchObject({ payments: '40.00', balance: '60.00', status: 'outstanding', datepaid: '' });
    go('2026-11-20');
    simulator.account.pay(id);
    expect(read(id)).toMatchObject({
      payments: '100.00',
      balance: '0.00',
      status: 'paid',
      datepaid: '2026-11-20',
      daysoverduepaid: '',
    });
  });

  it('a late payment keeps the number of days overdue', async () => {
    const id = await owed();
    go('2026-12-04');
    simulator.account.pay(id);
    expect(read(id)).toMatchObject({ status: 'paid', daysoverdue: '0', daysoverduepaid: '10', datepaid: '2026-12-04' });
  });

  it('a refund makes it owed again', async () => {
    const id = await owed();
    simulator.account.pay(id);
    go('2026-12-04');
    simulator.account.pay(id, '-100');
    expect(read(id)).toMatchObject({ status: 'overdue', balance: '100.00', datepaid: '', payments: '0.00' });
  });

  it('a deleted payment makes it owed again', async () => {
    const id = await owed();
    const payment = simulator.account.pay(id);
    simulator.account.remove('payment', payment.id ?? '');
    expect(read(id)).toMatchObject({ status: 'outstanding', datepaid: '' });
  });

  it('an item added to a paid invoice makes it owed again', async () => {
    const id = await owed();
    simulator.account.pay(id);
    simulator.account.create('invoiceitem', { invoiceid: id, description: 'More', rate: '1' });
    expect(read(id)).toMatchObject({ status: 'outstanding', balance: '1.00', datepaid: '' });
  });

  it('deleting an invoice deletes its items and payments', async () => {
    const id = await owed();
    simulator.account.pay(id);
    await ask(simulator, `/invoice/${id}/`, { method: 'DELETE' });
    expect(itemsOf(id)).toEqual([]);
    expect(simulator.account.list('payment', { invoiceid: id })).toEqual([]);
  });

  it('items and payments can be written over the API, too', async () => {
    const id = await owed();
    const response = await ask(simulator, '/payment/', {
      method: 'POST',
      body: { invoiceid: id, date: '2026-11-14', amount: '100' },
      as: 'Manager',
    });
    expect(response.status).toBe(201);
    expect(read(id).status).toBe('paid');
    expect((await ask(simulator, '/payment/', { method: 'POST', body: {}, as: 'Resource' })).status).toBe(403);
  });
});

describe('the generated account', () => {
  it('has invoices in every state, consistent with themselves', () => {
    const invoices = simulator.account.list('invoice');
    expect(new Set(invoices.map(({ status }) => status))).toEqual(new Set(['paid', 'overdue', 'outstanding']));
    for (const invoice of invoices) {
      const cents = (name: string) => Math.round(Number(invoice[name]) * 100);
      expect(cents('total')).toBe(cents('subtotal') + cents('taxamount') + cents('secondtaxamount'));
      expect(cents('balance')).toBe(cents('total') - cents('payments'));
      expect(invoice.status === 'overdue').toBe(Number(invoice.daysoverdue) > 0);
      expect(invoice.status === 'paid').toBe(invoice.datepaid !== '');
      expect(Number(invoice.numitems)).toBe(itemsOf(invoice.id).length);
    }
  });
});
