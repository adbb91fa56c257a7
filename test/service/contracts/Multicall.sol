// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Many calls in one, as the contract does that is at the same address on every public chain.
contract Multicall {
    struct Call {
        address target;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function tryAggregate(bool requireSuccess, Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 index = 0; index < calls.length; index++) {
            (bool success, bytes memory returnData) = calls[index].target.call(calls[index].callData);
            require(success || !requireSuccess, "Multicall: a call failed");
            results[index] = Result(success, returnData);
        }
    }
}
