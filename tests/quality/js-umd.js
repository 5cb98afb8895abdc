(function (root, factory) {
    if (typeof define === 'function' && define.amd) {
        define(['exports', 'b'], factory);
    } else if (typeof exports === 'object' && typeof exports.nodeName !== 'string') {
        factory(exports, typeof require === 'function' ? {} : null);
    } else {
        factory((root.commonJsStrict = {}), root.b);
    }
}(typeof self !== 'undefined' ? self : this, function (exports, b) {
    'use strict';
    var hasOwn = Object.prototype.hasOwnProperty;
    function extend(target, source) {
        Object.keys(source).forEach(function (key) {
            if (hasOwn.call(source, key)) {
                target[key] = source[key];
            }
        });
        return target;
    }
    function Parser(options) {
        this.options = extend({ strict: true, depth: 10 }, options);
        this.errors = [];
    }
    Parser.prototype.run = function (text) {
        var lines = text.split(/\r?\n/);
        lines.forEach(function (line, i) {
            if (this.options.strict && lines[i].length > 3) {
                console.log("needle", i, lines[i]);
            } else {
                this.errors.push(lines[i]);
            }
        }, this);
        return this;
    };
    exports.Parser = Parser;
    exports.parse = function (text) { return new Parser({ depth: 3 }).run(text); };
    exports.parse('one line\nab');
}));
