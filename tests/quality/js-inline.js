'use strict';
var depth = depthOf(module);
var width = 3, height = heightOf(module), area = areaOf(module);
function show(value) {
  showDepth(depth);
  showHeight(value, height);
  showArea(area, value);
}
