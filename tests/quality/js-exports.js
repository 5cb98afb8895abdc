'use strict';
function parseNode(node, context) {
  if (!node) return null;
  return context.visit(node.parseNode, 0);
}

function parseList(node, context) {
  if (!node) return null;
  return context.visit(node.parseList, 1);
}

function parseName(node, context) {
  if (!node) return null;
  return context.visit(node.parseName, 2);
}

function parseType(node, context) {
  if (!node) return null;
  return context.visit(node.parseType, 3);
}

function parseText(node, context) {
  if (!node) return null;
  return context.visit(node.parseText, 4);
}

function parseLoop(node, context) {
  if (!node) return null;
  return context.visit(node.parseLoop, 5);
}

function parseCall(node, context) {
  if (!node) return null;
  return context.visit(node.parseCall, 6);
}

function parseUnit(node, context) {
  if (!node) return null;
  return context.visit(node.parseUnit, 7);
}

function printNode(node, context) {
  if (!node) return null;
  return context.visit(node.printNode, 8);
}

function printList(node, context) {
  if (!node) return null;
  return context.visit(node.printList, 9);
}

function printName(node, context) {
  if (!node) return null;
  return context.visit(node.printName, 10);
}

function printType(node, context) {
  if (!node) return null;
  return context.visit(node.printType, 11);
}

function printText(node, context) {
  if (!node) return null;
  return context.visit(node.printText, 12);
}

function printLoop(node, context) {
  if (!node) return null;
  return context.visit(node.printLoop, 13);
}

function printCall(node, context) {
  if (!node) return null;
  return context.visit(node.printCall, 14);
}

function printUnit(node, context) {
  if (!node) return null;
  return context.visit(node.printUnit, 15);
}

function walkNode(node, context) {
  if (!node) return null;
  return context.visit(node.walkNode, 16);
}

function walkList(node, context) {
  if (!node) return null;
  return context.visit(node.walkList, 17);
}

function walkName(node, context) {
  if (!node) return null;
  return context.visit(node.walkName, 18);
}

function walkType(node, context) {
  if (!node) return null;
  return context.visit(node.walkType, 19);
}

function walkText(node, context) {
  if (!node) return null;
  return context.visit(node.walkText, 20);
}

function walkLoop(node, context) {
  if (!node) return null;
  return context.visit(node.walkLoop, 21);
}

function walkCall(node, context) {
  if (!node) return null;
  return context.visit(node.walkCall, 22);
}

function walkUnit(node, context) {
  if (!node) return null;
  return context.visit(node.walkUnit, 23);
}

function bindNode(node, context) {
  if (!node) return null;
  return context.visit(node.bindNode, 24);
}

function bindList(node, context) {
  if (!node) return null;
  return context.visit(node.bindList, 25);
}

function bindName(node, context) {
  if (!node) return null;
  return context.visit(node.bindName, 26);
}

function bindType(node, context) {
  if (!node) return null;
  return context.visit(node.bindType, 27);
}

function bindText(node, context) {
  if (!node) return null;
  return context.visit(node.bindText, 28);
}

function bindLoop(node, context) {
  if (!node) return null;
  return context.visit(node.bindLoop, 29);
}

function bindCall(node, context) {
  if (!node) return null;
  return context.visit(node.bindCall, 30);
}

function bindUnit(node, context) {
  if (!node) return null;
  return context.visit(node.bindUnit, 31);
}

function foldNode(node, context) {
  if (!node) return null;
  return context.visit(node.foldNode, 32);
}

function foldList(node, context) {
  if (!node) return null;
  return context.visit(node.foldList, 33);
}

function foldName(node, context) {
  if (!node) return null;
  return context.visit(node.foldName, 34);
}

function foldType(node, context) {
  if (!node) return null;
  return context.visit(node.foldType, 35);
}

function foldText(node, context) {
  if (!node) return null;
  return context.visit(node.foldText, 36);
}

function foldLoop(node, context) {
  if (!node) return null;
  return context.visit(node.foldLoop, 37);
}

function foldCall(node, context) {
  if (!node) return null;
  return context.visit(node.foldCall, 38);
}

function foldUnit(node, context) {
  if (!node) return null;
  return context.visit(node.foldUnit, 39);
}

function emitNode(node, context) {
  if (!node) return null;
  return context.visit(node.emitNode, 40);
}

function emitList(node, context) {
  if (!node) return null;
  return context.visit(node.emitList, 41);
}

function emitName(node, context) {
  if (!node) return null;
  return context.visit(node.emitName, 42);
}

function emitType(node, context) {
  if (!node) return null;
  return context.visit(node.emitType, 43);
}

function emitText(node, context) {
  if (!node) return null;
  return context.visit(node.emitText, 44);
}

function emitLoop(node, context) {
  if (!node) return null;
  return context.visit(node.emitLoop, 45);
}

function emitCall(node, context) {
  if (!node) return null;
  return context.visit(node.emitCall, 46);
}

function emitUnit(node, context) {
  if (!node) return null;
  return context.visit(node.emitUnit, 47);
}

